// The functions over range vectors, one window at a time.
//
// Pure: the result depends on the arguments alone. absent_over_time is the evaluator's (it is about
// series that are not there); all others with a range vector argument are here.
// Source: prometheus/prometheus, promql/functions.go, of which numerics and order of operations are
// kept.
#pragma once

#include <span>
#include <string_view>

#include "base/status.h"
#include "query/engine/kernels/annotation.h"
#include "query/engine/kernels/window.h"
#include "query/promql/functions.h"

namespace lockstep::engine {

struct WindowContext {
  // The function's scalar arguments of this step, in order: quantile_over_time q; predict_linear t;
  // double_exponential_smoothing sf, tf.
  std::span<const double> params;
  int64_t evaluation_time_ms = 0;
  AnnotationSink* sink = nullptr;  // not null
};

// Precondition: the window is not empty.
using WindowFunction = WindowResult (*)(const Window& window, const WindowContext& context);

// Null for functions that take no range vector, for absent_over_time and for rollups (rollups.h).
WindowFunction FindWindowFunction(promql::FunctionId id);

// Checks the scalar arguments: kFailedPrecondition for smoothing factors outside (0, 1). The
// evaluator calls it once per step at which some window is not empty.
absl::Status CheckWindowParams(promql::FunctionId id, std::span<const double> params);

// Whether rate's and increase's "might not be a counter" info is due for a series of this name:
// when the function gave a float and the name has none of a counter's endings.
bool LooksLikeCounterName(std::string_view metric_name);

// The value at `timestamp_ms` on the line between two neighbouring samples of a smoothed selector, which is between
// theirs. Of a counter a fall between them is a reset, so the line starts from 0.
struct FloatPoint {
  int64_t timestamp_ms = 0;
  double value = 0;
};
enum class SeriesKind : uint8_t { kGauge, kCounter };
double Interpolate(FloatPoint left, FloatPoint right, int64_t timestamp_ms, SeriesKind kind);
// Nothing, and a warning, if their buckets do not go together.
std::optional<Histogram> Interpolate(const HistogramSample& left, const HistogramSample& right,
                                     int64_t timestamp_ms, SeriesKind kind, AnnotationSink& sink);

}  // namespace lockstep::engine
