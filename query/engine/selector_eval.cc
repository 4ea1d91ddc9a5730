#include "query/engine/selector_eval.h"

#include <atomic>
#include <utility>

#include "query/engine/sample_cursor.h"
#include "query/engine/series_columns.h"
#include "query/engine/series_reader.h"
#include "query/engine/smoothed_selector.h"
#include "query/engine/time_modifiers.h"

namespace lockstep::engine {
namespace {

// Fills `column` from one series; the function decides what a sample becomes.
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

// What nearly every series is: floats alone.
void FillWithFloats(const SampleColumns& samples, const StepGrid& times, int64_t lookback_ms,
                    Column& column) {
  TimeRange seen = ExtentOf(samples);
  seen.max_ms += lookback_ms - 1;
  const int64_t* const timestamps_ms = samples.timestamps_ms.data();
  const size_t count = samples.timestamps_ms.size();
  size_t next = 0;  // the first sample behind the step
  column.SetFloats(times.Within(seen), [&](size_t step, double& value) {
    const int64_t time_ms = times.TimeAt(step);
    while (next < count && timestamps_ms[next] <= time_ms) ++next;
    if (next == 0 || timestamps_ms[next - 1] <= time_ms - lookback_ms) return false;
    value = samples.values[next - 1];
    return !IsStaleNan(value);
  });
}

// `fill(column, series, notes)` for every series of the selection, from several threads.
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

// What a plain selector may look at. Left-open: a sample one lookback ago is too old.
TimeRange LookbackRange(const StepGrid& times, int64_t lookback_ms) {
  return {times.start_ms - lookback_ms + 1, times.last_ms()};
}

// One step looks at one sample.
SamplesNeeded NeededAt(const StepGrid& times) {
  return times.count == 1 ? SamplesNeeded::kNewest : SamplesNeeded::kAll;
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
  const SelectorRead read{.selector = selector,
                          .range = range,
                          .needed = NeededAt(times.grid),
                          .keep_stale_markers = true};
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
