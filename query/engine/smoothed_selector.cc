#include "query/engine/smoothed_selector.h"

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

HistogramPtr InterpolateHistograms(const HistogramSample& before, const HistogramSample& after,
                                   int64_t time_ms) {
  if (!SameBucketFamily(*before.histogram, *after.histogram)) return nullptr;
  const double share = static_cast<double>(time_ms - before.timestamp_ms) /
                       static_cast<double>(after.timestamp_ms - before.timestamp_ms);
  Histogram between = *before.histogram;
  Histogram rest = *after.histogram;
  Scale(between, 1 - share);
  Scale(rest, share);
  Add(between, rest);
  Compact(between);
  return std::make_shared<const Histogram>(std::move(between));
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

void StoreHistogram(const SampleColumns& samples, const Neighbours& at, int64_t time_ms,
                    size_t step, Column& column) {
  const HistogramSample& before = samples.histograms[at.before];
  HistogramPtr value = before.histogram;
  if (before.timestamp_ms != time_ms && at.has_after) {
    value = InterpolateHistograms(before, samples.histograms[at.after], time_ms);
  }
  if (value != nullptr) column.SetHistogram(step, std::move(value));
}

}  // namespace

void FillSmoothed(const SampleColumns& samples, const StepGrid& times, int64_t lookback_ms,
                  Column& column) {
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
    const bool newest_is_histogram =
        histograms.has_before &&
        (!floats.has_before ||
         samples.histograms[histograms.before].timestamp_ms > samples.timestamps_ms[floats.before]);
    if (newest_is_histogram) {
      StoreHistogram(samples, histograms, time_ms, step, column);
    } else if (floats.has_before) {
      StoreFloat(samples, floats, time_ms, step, column);
    }
  }
}

}  // namespace lockstep::engine
