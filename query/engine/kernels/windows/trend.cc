// deriv, predict_linear and double_exponential_smoothing.
#include <cmath>

#include "query/engine/kernels/numbers/constants.h"
#include "query/engine/kernels/numbers/kahan.h"
#include "query/engine/kernels/windows/window_families.h"

namespace lockstep::engine {
namespace {

struct Line {
  double slope = 0;      // per second
  double intercept = 0;  // at the requested time
};

// Least squares fit of the float samples, with times relative to `origin_ms`.
Line FitLine(const Window& window, int64_t origin_ms) {
  KahanSum x_sum, y_sum, xy_sum, xx_sum;
  const double first = window.values[0];
  bool constant = true;
  for (size_t i = 0; i < window.values.size(); ++i) {
    const double y = window.values[i];
    const double x = static_cast<double>(window.timestamps_ms[i] - origin_ms) / 1e3;
    if (i > 0 && y != first) constant = false;
    x_sum.Add(x);
    y_sum.Add(y);
    xy_sum.Add(x * y);
    xx_sum.Add(x * x);
  }
  if (constant) {
    return std::isinf(first) ? Line{kNan, kNan} : Line{0, first};
  }
  const auto n = static_cast<double>(window.values.size());
  const double covariance = xy_sum.Total() - x_sum.Total() * y_sum.Total() / n;
  const double variance = xx_sum.Total() - x_sum.Total() * x_sum.Total() / n;
  const double slope = covariance / variance;
  return {slope, y_sum.Total() / n - slope * x_sum.Total() / n};
}

// The three functions need two floats; histograms among floats are ignored with an info.
bool HasTwoFloats(const Window& window, AnnotationSink& sink) {
  if (!window.values.empty() && !window.histograms.empty()) {
    sink.Add(AnnotationKind::kHistogramIgnoredInMixedRange);
  }
  return window.values.size() >= 2;
}

}  // namespace

WindowResult Deriv(const Window& window, const WindowContext& context) {
  if (!HasTwoFloats(window, *context.sink)) return WindowResult::None();
  // Times relative to the samples keep the sums accurate.
  return WindowResult::Float(FitLine(window, window.timestamps_ms[0]).slope);
}

WindowResult PredictLinear(const Window& window, const WindowContext& context) {
  if (!HasTwoFloats(window, *context.sink)) return WindowResult::None();
  const Line line = FitLine(window, context.evaluation_time_ms);
  return WindowResult::Float(line.slope * context.params[0] + line.intercept);
}

// Source: https://en.wikipedia.org/wiki/Exponential_smoothing, "Double exponential smoothing (Holt
// linear)".
WindowResult DoubleExponentialSmoothing(const Window& window, const WindowContext& context) {
  if (!HasTwoFloats(window, *context.sink)) return WindowResult::None();
  const double smoothing_factor = context.params[0];
  const double trend_factor = context.params[1];
  double previous = 0;
  double smoothed = window.values[0];
  double trend = window.values[1] - window.values[0];
  for (size_t i = 1; i < window.values.size(); ++i) {
    if (i > 1) trend = trend_factor * (smoothed - previous) + (1 - trend_factor) * trend;
    previous = smoothed;
    smoothed = smoothing_factor * window.values[i] + (1 - smoothing_factor) * (smoothed + trend);
  }
  return WindowResult::Float(smoothed);
}

}  // namespace lockstep::engine
