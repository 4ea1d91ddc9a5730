#include "query/engine/ranges/window_worker.h"

#include <span>
#include <utility>

namespace lockstep::engine {
namespace {

using promql::FunctionId;

// Wide windows at many steps take long even for a single series.
constexpr size_t kSamplesPerCheck = 16'384;

// A faster implementation for all windows of a series; null if there is none.
std::unique_ptr<RowFunction> RowFunctionOf(const WindowCall& call) {
  const RangeWindows& windows = call.windows;
  if (windows.edges != promql::RangeEdges::kPlain || windows.pinned) return nullptr;
  // The last digit of a step of a range query must not depend on the number of steps.
  const bool is_alone = windows.ends.count < 2 && !call.is_range_query;
  const bool overlap = windows.range_ms > windows.ends.step_ms && !is_alone;
  return MakeRowFunction(call.id, overlap ? Overlap::kYes : Overlap::kNo);
}

void Store(WindowResult result, size_t step, Column& column) {
  if (result.kind == WindowResult::Kind::kFloat) column.SetFloat(step, result.value);
  if (result.kind == WindowResult::Kind::kHistogram) {
    column.SetHistogram(step, std::move(result.histogram));
  }
}

}  // namespace

WindowWorker::WindowWorker(const WindowCall& call, const StepGrid& grid, QueryBudget& budget)
    : call_(call),
      id_(call.id),
      grid_(grid),
      budget_(budget),
      row_function_(RowFunctionOf(call)),
      slicer_(call.windows),
      row_charge_(budget),
      params_of_step_(call.params.size()) {}

absl::Status WindowWorker::Apply(SeriesPart& series, Column& column, WorkNotes& notes) {
  const SampleColumns& samples = series.samples();
  const StepBlock steps = WindowSlider(samples, call_.windows).Steps(column.step_count());
  const bool has_only_floats = samples.histograms.empty();
  const bool lacks_start_times = samples.start_timestamps_ms.empty() || !NeedsStartTimes(id_);
  const bool is_row = row_function_ != nullptr && has_only_floats && lacks_start_times;
  if (is_row || (row_function_ != nullptr && HasOwnOrder(id_))) {
    LOCKSTEP_RETURN_IF_ERROR(EvaluateRow(samples, steps));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(
      const bool gave_floats,
      is_row ? StoreRow(steps, column, notes) : StoreWindows(samples, steps, column, notes));
  Report(series.labels().metric_name(), gave_floats, notes);
  return absl::OkStatus();
}

// Sets `row_` and `results_`.
absl::Status WindowWorker::EvaluateRow(const SampleColumns& samples, const StepBlock& steps) {
  row_ = slicer_.Slice(samples, steps);
  LOCKSTEP_RETURN_IF_ERROR(ChargeRow());
  results_.resize(row_.size());
  for (size_t begin = 0; begin < row_.size();) {
    LOCKSTEP_RETURN_IF_ERROR(budget_.Check());
    const size_t end = EndOfPart(begin);
    row_function_->Evaluate(row_.Part(begin, end), std::span(results_).subspan(begin, end - begin));
    begin = end;
  }
  return absl::OkStatus();
}

// Two indices and a result take 16 bytes.
absl::Status WindowWorker::ChargeRow() {
  const uint64_t bytes = row_.size() * 16 + row_function_->scratch_bytes(row_);
  const auto samples = static_cast<int64_t>(bytes / QueryBudget::kBytesPerSample);
  if (samples <= charged_samples_) return absl::OkStatus();
  LOCKSTEP_RETURN_IF_ERROR(row_charge_.Add(samples - charged_samples_));
  charged_samples_ = samples;
  return absl::OkStatus();
}

// The windows from `begin` on that can be evaluated without checking the budget.
size_t WindowWorker::EndOfPart(size_t begin) const {
  if (!row_function_->visits_each_window()) return row_.size();
  size_t sample_count = 0;
  size_t end = begin;
  for (; end < row_.size() && sample_count < kSamplesPerCheck; ++end) {
    sample_count += row_.ends[end] - row_.firsts[end];
  }
  return end;
}

// Returns whether there was a result.
bool WindowWorker::StoreRow(const StepBlock& steps, Column& column, WorkNotes& notes) const {
  const uint64_t min_samples = row_function_->min_samples();
  bool gave_floats = false;
  uint64_t total = 0;
  column.SetFloats(steps, [&](size_t step, double& value) {
    const size_t i = step - steps.begin;
    const uint64_t count = row_.SampleCount(i);
    total += count;
    value = results_[i];
    gave_floats = gave_floats || count >= min_samples;
    return count >= min_samples;
  });
  CountSamples(steps, total, notes.counts());
  return gave_floats;
}

void WindowWorker::CountSamples(const StepBlock& steps, uint64_t total,
                                SampleCounts& counts) const {
  if (!counts.is_per_step()) return counts.AddToTotal(static_cast<int64_t>(total));
  for (size_t i = 0; i < row_.size(); ++i) {
    counts.Add(steps.begin + i, static_cast<int64_t>(row_.SampleCount(i)));
  }
}

// One window after another. Returns whether there was a float.
absl::StatusOr<bool> WindowWorker::StoreWindows(const SampleColumns& samples,
                                                const StepBlock& steps, Column& column,
                                                WorkNotes& notes) {
  WindowSlider slider(samples, call_.windows);
  size_t unchecked_samples = 0;
  bool gave_floats = false;
  for (size_t step = steps.begin; step < steps.end; ++step) {
    const Window window = slider.At(step);
    if (window.empty()) continue;
    const size_t window_size = window.float_count() + window.histograms.size();
    notes.counts().Add(step, BudgetSize(window));
    unchecked_samples += window_size;
    if (unchecked_samples > kSamplesPerCheck) {
      LOCKSTEP_RETURN_IF_ERROR(budget_.Check());
      unchecked_samples = 0;
    }
    LOCKSTEP_ASSIGN_OR_RETURN(WindowResult result, ApplyTo(window, step, steps));
    gave_floats = gave_floats || result.kind == WindowResult::Kind::kFloat;
    Store(std::move(result), step, column);
  }
  return gave_floats;
}

absl::StatusOr<WindowResult> WindowWorker::ApplyTo(const Window& window, size_t step,
                                                   const StepBlock& steps) {
  // Floats among histograms are added in the same order as those of other series.
  const bool is_in_row = row_function_ != nullptr && HasOwnOrder(id_);
  if (is_in_row && window.histograms.empty()) {
    return WindowResult::Float(results_[step - steps.begin]);
  }
  for (size_t i = 0; i < params_of_step_.size(); ++i) {
    params_of_step_[i] = call_.params[i].values[step];
  }
  LOCKSTEP_RETURN_IF_ERROR(CheckWindowParams(id_, params_of_step_));
  WindowContext context;
  context.params = params_of_step_;
  context.evaluation_time_ms = grid_.TimeAt(step);
  context.sink = &sink_;
  return call_.function(window, context);
}

void WindowWorker::Report(std::string_view name, bool gave_floats, WorkNotes& notes) {
  if (!sink_.empty()) {
    for (Annotation& annotation : sink_.Take()) {
      const bool of_first = annotation.kind == AnnotationKind::kInvalidQuantile ||
                            id_ == FunctionId::kQuantileOverTime;
      annotation.metric_name = name;
      notes.Annotate(std::move(annotation), of_first ? call_.first_position : call_.range_position);
    }
  }
  const bool counts = id_ == FunctionId::kRate || id_ == FunctionId::kIncrease;
  if (counts && gave_floats && !name.empty() && !LooksLikeCounterName(name)) {
    Annotation annotation;
    annotation.kind = AnnotationKind::kPossibleNonCounter;
    annotation.metric_name = name;
    notes.Annotate(std::move(annotation), call_.range_position);
  }
}

}  // namespace lockstep::engine
