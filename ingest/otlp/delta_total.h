// DeltaTotal: what the deltas of one series come to. Plain data and pure functions.
//
// A delta that cannot be added to what is there begins the total anew, with a start of its own: a histogram with
// other bounds, a point of another kind. Source: OpenTelemetry, "Metrics Data Model", "Sums: Delta-to-Cumulative";
// "Exponential Histograms: Merging".
#pragma once

#include <cstdint>
#include <variant>

#include "base/status.h"
#include "ingest/otlp/metric_points.h"

namespace lockstep::otlp {

// An exponential histogram of more buckets on one side becomes coarser, as SDKs do it themselves.
inline constexpr int64_t kMaxTotalBuckets = 160;

struct DeltaTotal {
  uint64_t start_ns = 0;  // of the first delta
  uint64_t time_ns = 0;   // of the last
  std::variant<double, HistogramValue, ExponentialHistogramValue> value = 0.0;
};

// Adds the point to its series' total, if it is later than the last one, and makes it cumulative: its value and start
// become the total's. The last one again, which is a request sent again, becomes the total without being added.
// kInvalidArgument, with one clause: it is earlier.
absl::Status AddUp(NumberPoint& point, DeltaTotal& total);
absl::Status AddUp(HistogramPoint& point, DeltaTotal& total);
absl::Status AddUp(ExponentialHistogramPoint& point, DeltaTotal& total);

}  // namespace lockstep::otlp
