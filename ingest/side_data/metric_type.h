// The metric types of remote write metadata, by number and name. Source: Prometheus,
// prompb/types.proto (MetricMetadata.MetricType) and the names in its HTTP API.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace lockstep {

inline constexpr std::array<std::string_view, 8> kMetricTypeNames = {
    "unknown", "counter", "gauge", "histogram", "gaugehistogram", "summary", "info", "stateset"};

inline std::string_view MetricTypeName(int32_t number) {
  const bool known = number >= 0 && static_cast<size_t>(number) < kMetricTypeNames.size();
  return kMetricTypeNames[known ? static_cast<size_t>(number) : 0];
}

// 0, "unknown", for unknown names.
inline int32_t MetricTypeNumber(std::string_view name) {
  const auto found = std::find(kMetricTypeNames.begin(), kMetricTypeNames.end(), name);
  return found == kMetricTypeNames.end() ? 0
                                         : static_cast<int32_t>(found - kMetricTypeNames.begin());
}

}  // namespace lockstep
