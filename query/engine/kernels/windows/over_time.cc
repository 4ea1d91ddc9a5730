// The *_over_time functions that compute something from all samples of the window.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "query/engine/kernels/histograms/histogram_accumulator.h"
#include "query/engine/kernels/numbers/constants.h"
#include "query/engine/kernels/numbers/kahan.h"
#include "query/engine/kernels/numbers/quantile.h"
#include "query/engine/kernels/windows/plain_folds.h"
#include "query/engine/kernels/windows/window_families.h"

namespace lockstep::engine {
namespace {

bool IsMixed(const Window& window) { return !window.values.empty() && !window.histograms.empty(); }

// For functions of floats only: whether there are any. Histograms among them are ignored with an
// info.
bool HasFloats(const Window& window, AnnotationSink& sink) {
  if (IsMixed(window)) sink.Add(AnnotationKind::kHistogramIgnoredInMixedRange);
  return !window.values.empty();
}

WindowResult FoldHistograms(const Window& window, HistogramFold fold, AnnotationSink& sink) {
  HistogramAccumulator accumulator(fold);
  for (const HistogramSample& sample : window.histograms) accumulator.Add(*sample.histogram, sink);
  std::optional<Histogram> folded = accumulator.Finish(sink);
  return folded ? WindowResult::Of(*std::move(folded)) : WindowResult::None();
}

template <typename Beats>
WindowResult ExtremeValue(const Window& window, AnnotationSink& sink, Beats beats) {
  if (!HasFloats(window, sink)) return WindowResult::None();
  return WindowResult::Float(window.values[Winner(window.values, beats)]);
}

template <typename Beats>
WindowResult ExtremeTime(const Window& window, AnnotationSink& sink, Beats beats) {
  if (!HasFloats(window, sink)) return WindowResult::None();
  const size_t winner = Winner(window.values, beats);
  return WindowResult::Float(static_cast<double>(window.timestamps_ms[winner]) / 1000);
}

}  // namespace

double PlainSum(std::span<const double> values) {
  KahanSum sum;
  for (const double value : values) sum.Add(value);
  return sum.Total();
}

double PlainMean(std::span<const double> values) {
  RunningMean mean;
  for (const double value : values) mean.Add(value);
  return mean.Get();
}

// Welford's algorithm with both sums compensated.
double PlainVariance(std::span<const double> values) {
  KahanSum mean;
  KahanSum squares;
  double count = 0;
  for (const double value : values) {
    ++count;
    const double delta = value - mean.Total();
    mean.Add(delta / count);
    squares.Add(delta * (value - mean.Total()));
  }
  return squares.Total() / count;
}

WindowResult SumOverTime(const Window& window, const WindowContext& context) {
  if (IsMixed(window)) {
    context.sink->Add(AnnotationKind::kMixedFloatsHistograms);
    return WindowResult::None();
  }
  if (window.values.empty()) return FoldHistograms(window, HistogramFold::kSum, *context.sink);
  return WindowResult::Float(PlainSum(window.values));
}

WindowResult AvgOverTime(const Window& window, const WindowContext& context) {
  if (IsMixed(window)) {
    context.sink->Add(AnnotationKind::kMixedFloatsHistograms);
    return WindowResult::None();
  }
  if (window.values.empty()) return FoldHistograms(window, HistogramFold::kMean, *context.sink);
  return WindowResult::Float(PlainMean(window.values));
}

WindowResult MinOverTime(const Window& window, const WindowContext& context) {
  return ExtremeValue(window, *context.sink, [](double a, double b) { return a < b; });
}

WindowResult MaxOverTime(const Window& window, const WindowContext& context) {
  return ExtremeValue(window, *context.sink, [](double a, double b) { return a > b; });
}

WindowResult TsOfMinOverTime(const Window& window, const WindowContext& context) {
  return ExtremeTime(window, *context.sink, [](double a, double b) { return a <= b; });
}

WindowResult TsOfMaxOverTime(const Window& window, const WindowContext& context) {
  return ExtremeTime(window, *context.sink, [](double a, double b) { return a >= b; });
}

WindowResult StdvarOverTime(const Window& window, const WindowContext& context) {
  if (!HasFloats(window, *context.sink)) return WindowResult::None();
  return WindowResult::Float(PlainVariance(window.values));
}

WindowResult StddevOverTime(const Window& window, const WindowContext& context) {
  if (!HasFloats(window, *context.sink)) return WindowResult::None();
  return WindowResult::Float(std::sqrt(PlainVariance(window.values)));
}

WindowResult QuantileOverTime(const Window& window, const WindowContext& context) {
  if (window.values.empty()) return WindowResult::None();
  const double q = context.params[0];
  if (IsInvalidQuantile(q)) {
    Annotation annotation;
    annotation.kind = AnnotationKind::kInvalidQuantile;
    annotation.number = q;
    context.sink->Add(std::move(annotation));
  }
  HasFloats(window, *context.sink);
  std::vector<double> values(window.values.begin(), window.values.end());
  return WindowResult::Float(Quantile(q, values));
}

WindowResult MadOverTime(const Window& window, const WindowContext& context) {
  if (!HasFloats(window, *context.sink)) return WindowResult::None();
  // With a NaN, the median is unknown.
  if (std::ranges::any_of(window.values, [](double value) { return std::isnan(value); })) {
    return WindowResult::Float(kNan);
  }
  std::vector<double> values(window.values.begin(), window.values.end());
  const double median = Quantile(0.5, values);
  for (double& value : values) value = std::fabs(value - median);
  return WindowResult::Float(Quantile(0.5, values));
}

}  // namespace lockstep::engine
