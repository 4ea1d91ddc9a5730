// RequestCounters: the number of requests per handler and status, and their durations. Safe from
// any thread.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "api/api_stats.h"
#include "base/mutex.h"

namespace lockstep::api {

class RequestCounters {
 public:
  void Count(std::string_view handler, int status, std::chrono::nanoseconds duration);
  // Fills in `requests` and `durations`.
  void Fill(ApiStats& stats) const;

 private:
  mutable Mutex mutex_;
  std::map<std::pair<std::string, int>, uint64_t> counts_ LOCKSTEP_GUARDED_BY(mutex_);
  std::map<std::string, HandlerDuration, std::less<>> durations_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::api
