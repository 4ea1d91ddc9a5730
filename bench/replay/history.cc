#include "bench/replay/history.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"

namespace lockstep::replay {
namespace {

constexpr uint32_t kSeriesPerHost = 32;

// The same for the same numbers, without a pattern (splitmix64).
uint64_t Scatter(uint64_t series, uint64_t point) {
  uint64_t bits = (series << 32) + point + 0x9E3779B97F4A7C15u;
  bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
  return bits ^ (bits >> 31);
}

// Passes all points of one series after the other.
absl::Status MakeBySeries(const HistoryOptions& history, std::vector<HistorySeries>& series,
                          uint32_t samples_per_request,
                          const std::function<absl::Status(const WriteRequest&)>& take) {
  for (HistorySeries& each : series) {
    for (uint64_t point = 0; point < history.point_count;) {
      WriteRequest request;
      SeriesWrite& write = request.series.emplace_back();
      write.labels = each.Labels();
      for (; point < history.point_count && write.samples.size() < samples_per_request; ++point) {
        write.samples.push_back(each.Next());
      }
      LOCKSTEP_RETURN_IF_ERROR(take(request));
    }
  }
  return absl::OkStatus();
}

// Passes one point of all series after the other.
absl::Status MakeByTime(const HistoryOptions& history, std::vector<HistorySeries>& series,
                        uint32_t samples_per_request,
                        const std::function<absl::Status(const WriteRequest&)>& take) {
  WriteRequest open;
  for (uint64_t point = 0; point < history.point_count; ++point) {
    for (HistorySeries& each : series) {
      open.series.push_back({each.Labels(), {each.Next()}, {}});
      if (open.series.size() < samples_per_request) continue;
      LOCKSTEP_RETURN_IF_ERROR(take(open));
      open.series.clear();
    }
  }
  return open.series.empty() ? absl::OkStatus() : take(open);
}

}  // namespace

LabelSet HistorySeries::Labels() const {
  return LabelSet::Of({{kMetricName, absl::StrFormat("history_%02d", series_ % kSeriesPerHost)},
                       {"instance", absl::StrFormat("node-%05d:9100", series_ / kSeriesPerHost)},
                       {"job", "history"}});
}

Sample HistorySeries::Next() {
  const uint64_t chance = Scatter(series_, next_point_);
  switch (series_ % 4) {
    case 0:
      value_ += static_cast<double>(chance % 1000);
      break;
    case 1:
      value_ = std::clamp(value_ + static_cast<double>(chance % 3) - 1, 30.0, 90.0);
      break;
    case 2:
      value_ = static_cast<double>(chance % 10'000) / 100;
      break;
    default:
      if (chance % 1000 == 0) value_ = static_cast<double>(chance % 16);
  }
  const auto offset_ms = static_cast<int64_t>(Scatter(series_ / kSeriesPerHost, 0) %
                                              static_cast<uint64_t>(options_.interval_ms));
  const auto point = static_cast<int64_t>(next_point_++);
  return {options_.start_ms + point * options_.interval_ms + offset_ms, value_};
}

absl::Status MakeHistory(const HistoryOptions& history, const RequestOptions& options,
                         uint32_t connection,
                         const std::function<absl::Status(const Request&)>& take) {
  std::vector<HistorySeries> series;
  for (uint32_t i = connection; i < history.series_count; i += options.connection_count) {
    series.emplace_back(history, i);
  }
  const auto take_encoded = [&take](const WriteRequest& request) { return take(Encode(request)); };
  const auto make = history.is_by_series ? MakeBySeries : MakeByTime;
  return make(history, series, options.samples_per_request, take_encoded);
}

}  // namespace lockstep::replay
