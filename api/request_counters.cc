#include "api/request_counters.h"

#include <algorithm>

namespace lockstep::api {
namespace {

size_t BucketOf(double seconds) {
  const auto bound =
      std::lower_bound(kDurationBoundsSeconds.begin(), kDurationBoundsSeconds.end(), seconds);
  return static_cast<size_t>(bound - kDurationBoundsSeconds.begin());
}

}  // namespace

void RequestCounters::Count(std::string_view handler, int status,
                            std::chrono::nanoseconds duration) {
  const double seconds = std::chrono::duration<double>(duration).count();
  const MutexLock lock(mutex_);
  ++counts_[{std::string(handler), status}];
  HandlerDuration& entry = durations_[std::string(handler)];
  ++entry.bucket_counts[BucketOf(seconds)];
  entry.sum_seconds += seconds;
  ++entry.count;
}

void RequestCounters::Fill(ApiStats& stats) const {
  const MutexLock lock(mutex_);
  for (const auto& [key, count] : counts_) {
    stats.requests.push_back({key.first, key.second, count});
  }
  for (const auto& [handler, duration] : durations_) {
    stats.durations.push_back(duration);
    stats.durations.back().handler = handler;
  }
}

}  // namespace lockstep::api
