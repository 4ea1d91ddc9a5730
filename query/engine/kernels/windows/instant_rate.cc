// irate and idelta: use the last two samples of the window.
#include <array>

#include "query/engine/kernels/histograms/histogram_math.h"
#include "query/engine/kernels/windows/counter_rate.h"
#include "query/engine/kernels/windows/window_families.h"

namespace lockstep::engine {
namespace {

// The last two samples of either kind, the older one first. Precondition: there are two.
std::array<WindowSample, 2> LastTwo(const Window& window) {
  std::array<WindowSample, 2> samples;
  size_t floats = window.values.size();
  size_t histograms = window.histograms.size();
  for (size_t place = 2; place-- > 0;) {
    const bool take_histogram =
        floats == 0 || (histograms > 0 && window.histograms[histograms - 1].timestamp_ms >
                                              window.timestamps_ms[floats - 1]);
    samples[place] = take_histogram ? HistogramAt(window, --histograms) : FloatAt(window, --floats);
  }
  return samples;
}

void NoteWrongKind(const WindowSample& before, const WindowSample& last, SeriesKind kind,
                   AnnotationSink& sink) {
  const bool first_gauge = before.histogram->reset_hint == CounterResetHint::kGauge;
  const bool last_gauge = last.histogram->reset_hint == CounterResetHint::kGauge;
  if (kind == SeriesKind::kCounter && (first_gauge || last_gauge)) {
    sink.Add(AnnotationKind::kNativeHistogramNotCounter);
  }
  if (kind == SeriesKind::kGauge && !(first_gauge && last_gauge)) {
    sink.Add(AnnotationKind::kNativeHistogramNotGauge);
  }
}

WindowResult HistogramDifference(const WindowSample& before, const WindowSample& last,
                                 SeriesKind kind, double seconds, AnnotationSink& sink) {
  NoteWrongKind(before, last, kind, sink);
  Histogram difference = *last.histogram;
  const bool reset =
      kind == SeriesKind::kCounter && (RestartedByStartTime(before.times, last.times) ||
                                       DetectReset(*last.histogram, *before.histogram));
  if (!reset && !SubtractNoting(difference, *before.histogram, sink)) return WindowResult::None();
  difference.reset_hint = CounterResetHint::kGauge;
  Compact(difference);
  if (kind == SeriesKind::kCounter) Divide(difference, seconds);
  return WindowResult::Of(std::move(difference));
}

WindowResult FloatDifference(const WindowSample& before, const WindowSample& last, SeriesKind kind,
                             double seconds) {
  if (kind == SeriesKind::kGauge) return WindowResult::Float(last.value - before.value);
  const bool reset = last.value < before.value || RestartedByStartTime(before.times, last.times);
  return WindowResult::Float((reset ? last.value : last.value - before.value) / seconds);
}

WindowResult InstantValue(const Window& window, const WindowContext& context, SeriesKind kind) {
  if (window.values.size() + window.histograms.size() < 2) return WindowResult::None();
  const auto [before, last] = LastTwo(window);
  const int64_t interval_ms = last.times.timestamp_ms - before.times.timestamp_ms;
  if (interval_ms == 0) return WindowResult::None();
  const double seconds = static_cast<double>(interval_ms) / 1000;
  if ((before.histogram == nullptr) != (last.histogram == nullptr)) {
    context.sink->Add(AnnotationKind::kMixedFloatsHistograms);
    return WindowResult::None();
  }
  return last.histogram != nullptr ? HistogramDifference(before, last, kind, seconds, *context.sink)
                                   : FloatDifference(before, last, kind, seconds);
}

}  // namespace

WindowResult InstantRate(const Window& window, const WindowContext& context) {
  return InstantValue(window, context, SeriesKind::kCounter);
}

WindowResult InstantDelta(const Window& window, const WindowContext& context) {
  return InstantValue(window, context, SeriesKind::kGauge);
}

}  // namespace lockstep::engine
