// The *_over_time functions that compute something from all samples of the window.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "query/engine/kernels/constants.h"
#include "query/engine/kernels/histogram_accumulator.h"
#include "query/engine/kernels/kahan.h"
#include "query/engine/kernels/quantile.h"
#include "query/engine/kernels/running_mean.h"
#include "query/engine/kernels/window_families.h"

namespace lockstep::engine {
namespace {

bool IsMixed(const Window& window) { return !window.values.empty() && !window.histograms.empty(); }

// For functions of floats alone: whether there are any. Histograms beside them are ignored with an
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

double Sum(std::span<const double> values) {
  KahanSum sum;
  for (const double value : values) sum.Add(value);
  return sum.Total();
}

double Mean(std::span<const double> values) {
  RunningMean mean;
  for (const double value : values) mean.Add(value);
  return mean.Get();
}

// Welford's algorithm, both of its sums compensated.
double Variance(std::span<const double> values) {
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

// The index of the value that beats all others; NaN only wins when there is nothing else.
template <typename Beats>
size_t Winner(std::span<const double> values, Beats beats) {
  size_t winner = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (beats(values[i], values[winner]) || std::isnan(values[winner])) winner = i;
  }
  return winner;
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

WindowResult SumOverTime(const Window& window, const WindowContext& context) {
  if (IsMixed(window)) {
    context.sink->Add(AnnotationKind::kMixedFloatsHistograms);
    return WindowResult::None();
  }
  if (window.values.empty()) return FoldHistograms(window, HistogramFold::kSum, *context.sink);
  return WindowResult::Float(Sum(window.values));
}

WindowResult AvgOverTime(const Window& window, const WindowContext& context) {
  if (IsMixed(window)) {
    context.sink->Add(AnnotationKind::kMixedFloatsHistograms);
    return WindowResult::None();
  }
  if (window.values.empty()) return FoldHistograms(window, HistogramFold::kMean, *context.sink);
  return WindowResult::Float(Mean(window.values));
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
  return WindowResult::Float(Variance(window.values));
}

WindowResult StddevOverTime(const Window& window, const WindowContext& context) {
  if (!HasFloats(window, *context.sink)) return WindowResult::None();
  return WindowResult::Float(std::sqrt(Variance(window.values)));
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
  // The median beside a NaN is unknown.
  if (std::ranges::any_of(window.values, [](double value) { return std::isnan(value); })) {
    return WindowResult::Float(kNan);
  }
  std::vector<double> values(window.values.begin(), window.values.end());
  const double median = Quantile(0.5, values);
  for (double& value : values) value = std::fabs(value - median);
  return WindowResult::Float(Quantile(0.5, values));
}

}  // namespace lockstep::engine
