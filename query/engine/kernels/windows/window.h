// Window: the samples of one series at one step for a function over a range.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "model/sample.h"
#include "query/promql/syntax/ast.h"

namespace lockstep::engine {

// Samples of one series, ascending by time, without stale markers, with floats and histograms
// separated. With plain edges, exactly those in (range_start_ms, range_end_ms]; with anchored
// edges, also those up to one lookback before the start; with smoothed edges, up to one lookback on
// both sides. rate, increase, delta, changes and resets select from them. Borrows everything.
struct Window {
  std::span<const int64_t> timestamps_ms;  // of `values`
  std::span<const double> values;
  std::span<const HistogramSample> histograms;
  int64_t range_start_ms = 0;  // exclusive
  int64_t range_end_ms = 0;    // inclusive
  promql::RangeEdges edges = promql::RangeEdges::kPlain;
  // When the counters of `values` began, 0 if unknown; empty if this is not stored.
  std::span<const int64_t> start_timestamps_ms;

  // Samples in the window that are not in `values`, because the function needs only their number.
  uint64_t left_out_count = 0;

  uint64_t float_count() const { return values.size() + left_out_count; }
  bool empty() const { return values.empty() && histograms.empty(); }
};

struct WindowResult {
  enum class Kind : uint8_t { kNone, kFloat, kHistogram };

  static WindowResult None() { return {}; }
  static WindowResult Float(double value) { return {Kind::kFloat, value, nullptr}; }
  static WindowResult Of(std::shared_ptr<const Histogram> histogram) {
    return {Kind::kHistogram, 0, std::move(histogram)};
  }
  static WindowResult Of(Histogram histogram) {
    return Of(std::make_shared<const Histogram>(std::move(histogram)));
  }

  Kind kind = Kind::kNone;
  double value = 0;
  std::shared_ptr<const Histogram> histogram;
};

}  // namespace lockstep::engine
