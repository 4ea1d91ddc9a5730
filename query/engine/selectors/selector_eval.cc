#include "query/engine/selectors/selector_eval.h"

#include <atomic>
#include <optional>
#include <utility>

#include "model/sample.h"
#include "query/engine/kernels/histograms/histogram_math.h"
#include "query/engine/kernels/text/annotation.h"
#include "query/engine/kernels/windows/window_functions.h"
#include "query/engine/selectors/duration_eval.h"
#include "query/engine/selectors/sample_cursor.h"
#include "query/engine/selectors/series_columns.h"
#include "query/engine/selectors/series_reader.h"
#include "query/engine/values/column.h"
#include "query/engine/values/step_grid.h"

namespace lockstep::engine {
namespace {

// The two samples of one kind around a time; an index past the end if there is none.
struct Neighbours {
  size_t before = 0;  // newest at or before the time
  size_t after = 0;   // oldest after the time
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
  // The hint refers to the previous sample, not to the value.
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

// Sets each step to the sample at exactly that time, otherwise to the interpolation of its
// neighbours within one lookback, otherwise to the previous sample. Leaves steps before the first
// sample absent, and, with a warning, steps with both floats and histograms that near.
// Precondition: `samples` has no stale markers.
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

// Fills `column` from one series; `store` converts a sample.
template <typename Store>
void FillColumn(const SampleColumns& samples, const StepGrid& times, int64_t lookback_ms,
                Store&& store) {
  SampleCursor cursor(samples);
  TimeRange seen = ExtentOf(samples);
  seen.max_ms += lookback_ms - 1;
  const StepBlock steps = times.Within(seen);
  for (size_t step = steps.begin; step < steps.end; ++step) {
    const SampleCursor::Found found = cursor.Advance(times.TimeAt(step), lookback_ms);
    if (found.exists && !IsStaleMarker(found)) store(step, found);
  }
}

void StoreSample(Column& column, size_t step, const SampleCursor::Found& found) {
  if (found.histogram != nullptr) {
    column.SetHistogram(step, found.histogram->histogram);
  } else {
    column.SetFloat(step, found.value);
  }
}

// The fast path for the usual case of floats only.
void FillWithFloats(const SampleColumns& samples, const StepGrid& times, int64_t lookback_ms,
                    Column& column) {
  TimeRange seen = ExtentOf(samples);
  seen.max_ms += lookback_ms - 1;
  const int64_t* const timestamps_ms = samples.timestamps_ms.data();
  const size_t count = samples.timestamps_ms.size();
  size_t next = 0;  // the first sample after the step
  column.SetFloats(times.Within(seen), [&](size_t step, double& value) {
    const int64_t time_ms = times.TimeAt(step);
    while (next < count && timestamps_ms[next] <= time_ms) ++next;
    if (next == 0 || timestamps_ms[next - 1] <= time_ms - lookback_ms) return false;
    value = samples.values[next - 1];
    return !IsStaleNan(value);
  });
}

// Calls `fill(column, series, notes)` for every series of the selection, from several threads.
template <typename Fill>
absl::StatusOr<VectorValue> ReadSeries(const SelectorRead& read, Evaluator& evaluator,
                                       const Fill& fill) {
  if (evaluator.grid().count == 0) return evaluator.NewVector();
  QueryContext& context = evaluator.context();
  LOCKSTEP_ASSIGN_OR_RETURN(SeriesParts parts, OpenSelector(read, context, MaxParts(context)));
  return MakeColumns(std::move(parts), false, evaluator, [&fill]() -> ColumnWorker {
    return [&fill](SeriesPart& series, Column& column, WorkNotes& notes) {
      fill(column, series, notes);
      notes.counts().Add(column);
      return absl::OkStatus();
    };
  });
}

// The range that a plain selector looks at. Left-open: a sample exactly one lookback ago is too
// old.
TimeRange LookbackRange(const StepGrid& times, int64_t lookback_ms) {
  return {times.start_ms - lookback_ms + 1, times.last_ms()};
}

// Each step needs only one sample.
StepTimes StepsOf(const StepGrid& times) {
  if (times.count == 1) return {};
  // Distances from the first step to samples must not overflow.
  constexpr int64_t kFarMs = int64_t{1} << 60;
  const TimeRange near{-kFarMs, kFarMs};
  if (!near.Contains(times.start_ms) || !near.Contains(times.last_ms())) return {};
  return {times.start_ms, times.step_ms};
}

}  // namespace

absl::StatusOr<EvaluatedValue> EvaluateSelector(const promql::VectorSelector& selector,
                                                Evaluator& evaluator) {
  return EvaluateSelector(selector, evaluator, evaluator.context().lookback_ms);
}

absl::StatusOr<EvaluatedValue> EvaluateSelector(const promql::VectorSelector& selector,
                                                Evaluator& evaluator, int64_t lookback_ms) {
  LOCKSTEP_ASSIGN_OR_RETURN(
      const SelectionTimes times,
      ResolveTimes(selector.modifiers, evaluator.grid(), evaluator.context()));
  TimeRange range = LookbackRange(times.grid, lookback_ms);
  if (selector.edges == promql::RangeEdges::kSmoothed) {
    range.max_ms += lookback_ms;
    return ReadSeries({selector, range}, evaluator,
                      [&](Column& column, SeriesPart& series, WorkNotes& notes) {
                        AnnotationSink sink;
                        FillSmoothed(series.samples(), times.grid, lookback_ms, column, sink);
                        for (Annotation& annotation : sink.Take()) {
                          annotation.metric_name = series.labels().metric_name();
                          notes.Annotate(std::move(annotation), selector.position);
                        }
                      });
  }
  const StepTimes steps = StepsOf(times.grid);
  const bool is_newest_enough = times.grid.count == 1 || !steps.empty();
  const SelectorRead read{.selector = selector,
                          .range = range,
                          .needed = is_newest_enough ? SamplesNeeded::kNewest : SamplesNeeded::kAll,
                          .keep_stale_markers = true,
                          .steps = steps};
  return ReadSeries(read, evaluator, [&](Column& column, SeriesPart& series, WorkNotes&) {
    const SampleColumns& samples = series.samples();
    if (samples.histograms.empty()) {
      FillWithFloats(samples, times.grid, lookback_ms, column);
    } else {
      FillColumn(samples, times.grid, lookback_ms,
                 [&](size_t step, const auto& found) { StoreSample(column, step, found); });
    }
  });
}

absl::StatusOr<VectorValue> EvaluateSampleTimes(const promql::VectorSelector& selector,
                                                Evaluator& evaluator, NewestHistogram histograms) {
  const int64_t lookback_ms = evaluator.context().lookback_ms;
  LOCKSTEP_ASSIGN_OR_RETURN(
      const SelectionTimes times,
      ResolveTimes(selector.modifiers, evaluator.grid(), evaluator.context()));
  const SelectorRead read{.selector = selector,
                          .range = LookbackRange(times.grid, lookback_ms),
                          .keep_stale_markers = true};
  std::atomic<bool> met_histogram = false;
  LOCKSTEP_ASSIGN_OR_RETURN(
      VectorValue vector,
      ReadSeries(read, evaluator, [&](Column& column, SeriesPart& series, WorkNotes&) {
        FillColumn(series.samples(), times.grid, lookback_ms, [&](size_t step, const auto& found) {
          if (found.histogram != nullptr) met_histogram = true;
          column.SetFloat(step, static_cast<double>(found.timestamp_ms) / 1000);
        });
      }));
  if (met_histogram && histograms == NewestHistogram::kIsAnError) {
    return absl::FailedPreconditionError("this should be an info metric, with float samples: " +
                                         vector.series[0].labels.ToString());
  }
  return vector;
}

absl::StatusOr<VectorValue> EvaluateStartTimes(const promql::VectorSelector& selector,
                                               Evaluator& evaluator) {
  const int64_t lookback_ms = evaluator.context().lookback_ms;
  LOCKSTEP_ASSIGN_OR_RETURN(
      const SelectionTimes times,
      ResolveTimes(selector.modifiers, evaluator.grid(), evaluator.context()));
  const SelectorRead read{.selector = selector,
                          .range = LookbackRange(times.grid, lookback_ms),
                          .keep_stale_markers = true};
  return ReadSeries(read, evaluator, [&](Column& column, SeriesPart& series, WorkNotes&) {
    FillColumn(series.samples(), times.grid, lookback_ms, [&](size_t step, const auto& found) {
      column.SetFloat(step, static_cast<double>(found.start_timestamp_ms) / 1000);
    });
  });
}

}  // namespace lockstep::engine
