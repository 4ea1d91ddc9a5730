#include "query/engine/smoothed_selector.h"

#include <optional>
#include <utility>

#include "query/engine/kernels/histogram_math.h"
#include "query/engine/kernels/window_functions.h"

namespace lockstep::engine {
namespace {

// The two samples of one kind around a time; an index past the end when there is none.
struct Neighbours {
  size_t before = 0;  // newest at or before the time
  size_t after = 0;   // oldest behind it
  bool has_before = false;
  bool has_after = false;

  bool any() const { return has_before || has_after; }
};

template <typename TimeOf>
Neighbours FindNeighbours(size_t sample_count, size_t& next, int64_t time_ms, int64_t lookback_ms,
                          TimeOf&& time_of) {
  while (next < sample_count && time_of(next) <= time_ms) ++next;
  Neighbours found;
  found.has_before = next > 0 && time_of(next - 1) > time_ms - lookback_ms;
  found.before = next - 1;
  found.has_after = next < sample_count && time_of(next) <= time_ms + lookback_ms;
  found.after = next;
  return found;
}

void StoreFloat(const SampleColumns& samples, const Neighbours& at, int64_t time_ms, size_t step,
                Column& column) {
  const FloatPoint before{samples.timestamps_ms[at.before], samples.values[at.before]};
  if (before.timestamp_ms == time_ms || !at.has_after) {
    column.SetFloat(step, before.value);
    return;
  }
  const FloatPoint after{samples.timestamps_ms[at.after], samples.values[at.after]};
  column.SetFloat(step, Interpolate(before, after, time_ms, SeriesKind::kGauge));
}

HistogramPtr CarriedForward(const Histogram& histogram) {
  Histogram carried = histogram;
  // The hint is about the sample before, not about the value.
  carried.reset_hint = CounterResetHint::kUnknown;
  return std::make_shared<const Histogram>(std::move(carried));
}

HistogramPtr Between(const HistogramSample& before, const HistogramSample& after, int64_t time_ms,
                     AnnotationSink& sink) {
  if (!SameBucketFamily(*before.histogram, *after.histogram)) {
    sink.Add(AnnotationKind::kMixedExponentialCustomHistograms);
    return nullptr;
  }
  const bool are_gauges = before.histogram->reset_hint == CounterResetHint::kGauge &&
                          after.histogram->reset_hint == CounterResetHint::kGauge;
  std::optional<Histogram> between = Interpolate(
      before, after, time_ms, are_gauges ? SeriesKind::kGauge : SeriesKind::kCounter, sink);
  if (!between.has_value()) return nullptr;
  return std::make_shared<const Histogram>(*std::move(between));
}

HistogramPtr SmoothedHistogram(const SampleColumns& samples, const Neighbours& at, int64_t time_ms,
                               AnnotationSink& sink) {
  const HistogramSample& before = samples.histograms[at.before];
  if (before.timestamp_ms == time_ms) return before.histogram;
  if (!at.has_after) return CarriedForward(*before.histogram);
  return Between(before, samples.histograms[at.after], time_ms, sink);
}

}  // namespace

void FillSmoothed(const SampleColumns& samples, const StepGrid& times, int64_t lookback_ms,
                  Column& column, AnnotationSink& sink) {
  size_t next_float = 0;
  size_t next_histogram = 0;
  for (size_t step = 0; step < times.count; ++step) {
    const int64_t time_ms = times.TimeAt(step);
    const Neighbours floats =
        FindNeighbours(samples.values.size(), next_float, time_ms, lookback_ms,
                       [&](size_t i) { return samples.timestamps_ms[i]; });
    const Neighbours histograms =
        FindNeighbours(samples.histograms.size(), next_histogram, time_ms, lookback_ms,
                       [&](size_t i) { return samples.histograms[i].timestamp_ms; });
    if (floats.any() && histograms.any()) {
      sink.Add(AnnotationKind::kMixedFloatsHistograms);
    } else if (histograms.has_before) {
      HistogramPtr value = SmoothedHistogram(samples, histograms, time_ms, sink);
      if (value != nullptr) column.SetHistogram(step, std::move(value));
    } else if (floats.has_before) {
      StoreFloat(samples, floats, time_ms, step, column);
    }
  }
}

}  // namespace lockstep::engine
