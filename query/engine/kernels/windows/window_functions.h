// The functions over range vectors, one window at a time.
//
// Pure functions. All functions with a range vector argument are here except absent_over_time,
// which concerns missing series and belongs to the evaluator. Source: prometheus/prometheus,
// promql/functions.go, with the same numerics and order of operations.
#pragma once

#include <span>
#include <string_view>

#include "base/status.h"
#include "query/engine/kernels/text/annotation.h"
#include "query/engine/kernels/windows/window.h"
#include "query/promql/syntax/functions.h"

namespace lockstep::engine {

struct WindowContext {
  // The function's scalar arguments at this step, in order: quantile_over_time q; predict_linear t;
  // double_exponential_smoothing sf, tf.
  std::span<const double> params;
  int64_t evaluation_time_ms = 0;
  AnnotationSink* sink = nullptr;  // not null
};

// Precondition: the window is not empty.
using WindowFunction = WindowResult (*)(const Window& window, const WindowContext& context);

// Null for functions without a range vector argument, for absent_over_time and for rollups
// (rollups.h).
WindowFunction FindWindowFunction(promql::FunctionId id);

// Returns kFailedPrecondition for smoothing factors outside (0, 1). The evaluator calls it once per
// step at which some window is not empty.
absl::Status CheckWindowParams(promql::FunctionId id, std::span<const double> params);

// Whether the name has one of a counter's suffixes. If not, and rate or increase returned a float,
// they add the "might not be a counter" info.
bool LooksLikeCounterName(std::string_view metric_name);

// Interpolates between two neighbouring samples of a smoothed selector at `timestamp_ms`, which
// must be between their times. For a counter, a decrease is a reset, so the line starts from 0.
struct FloatPoint {
  int64_t timestamp_ms = 0;
  double value = 0;
};
enum class SeriesKind : uint8_t { kGauge, kCounter };
double Interpolate(FloatPoint left, FloatPoint right, int64_t timestamp_ms, SeriesKind kind);
// Empty, with a warning, if their buckets are incompatible.
std::optional<Histogram> Interpolate(const HistogramSample& left, const HistogramSample& right,
                                     int64_t timestamp_ms, SeriesKind kind, AnnotationSink& sink);

}  // namespace lockstep::engine
