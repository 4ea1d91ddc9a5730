#include "query/engine/window_eval.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "query/engine/kernels/sliding_functions.h"
#include "query/engine/kernels/window_functions.h"
#include "query/engine/range_series.h"
#include "query/engine/samples_needed.h"
#include "query/engine/series_columns.h"
#include "query/engine/step_invariant.h"

namespace lockstep::engine {
namespace {

using promql::Call;
using promql::FunctionId;
using promql::RangeEdges;
using promql::ValueType;

const promql::Expr& RangeArgument(const Call& call) {
  for (const promql::ExprPtr& argument : call.args) {
    if (argument->type == ValueType::kMatrix) return *argument;
  }
  return *call.args[0];
}

bool KeepsName(FunctionId id) {
  return id == FunctionId::kLastOverTime || id == FunctionId::kFirstOverTime ||
         id == FunctionId::kDefaultRollup || id == FunctionId::kRollup;
}

bool SmoothedEdgesFit(FunctionId id) {
  return id == FunctionId::kRate || id == FunctionId::kIncrease || id == FunctionId::kDelta;
}

bool AnchoredEdgesFit(FunctionId id) {
  return SmoothedEdgesFit(id) || id == FunctionId::kChanges || id == FunctionId::kResets;
}

// A call and all that is known of it before any series is looked at.
struct WindowCall {
  const Call& call;
  const WindowFunction function;
  const promql::Expr& range;
  RangeWindows windows;
  std::vector<ScalarValue> params;
  // Where annotations point.
  promql::PositionRange range_position;
  promql::PositionRange first_position;  // of the first argument
  bool is_range_query = false;
};

// The call over one series after another; one for each thread.
class WindowWorker {
 public:
  WindowWorker(const WindowCall& call, const StepGrid& grid, QueryBudget& budget)
      : call_(call),
        id_(call.call.function->id),
        function_(call.function),
        grid_(grid),
        budget_(budget),
        params_of_step_(call.params.size()) {}

  absl::Status Apply(SeriesPart& series, Column& column, WorkNotes& notes) {
    const std::unique_ptr<SlidingFunction> sliding = Sliding(series.samples());
    WindowSlider slider(series.samples(), call_.windows);
    size_t unchecked_samples = 0;
    bool gave_floats = false;
    const StepBlock steps = slider.Steps(column.step_count());
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
      LOCKSTEP_ASSIGN_OR_RETURN(WindowResult result, ApplyTo(window, step, sliding.get()));
      gave_floats = gave_floats || result.kind == WindowResult::Kind::kFloat;
      Store(std::move(result), step, column);
    }
    Report(series.labels().metric_name(), gave_floats, notes);
    return absl::OkStatus();
  }

 private:
  // Wide windows at many steps take long even for one series.
  static constexpr size_t kSamplesPerCheck = 16'384;

  absl::StatusOr<WindowResult> ApplyTo(const Window& window, size_t step,
                                       SlidingFunction* sliding) {
    for (size_t i = 0; i < params_of_step_.size(); ++i) {
      params_of_step_[i] = call_.params[i].values[step];
    }
    LOCKSTEP_RETURN_IF_ERROR(CheckWindowParams(id_, params_of_step_));
    WindowContext context;
    context.params = params_of_step_;
    context.evaluation_time_ms = grid_.TimeAt(step);
    context.sink = &sink_;
    return sliding != nullptr ? sliding->At(window, context) : function_(window, context);
  }

  // The faster way to look at windows that overlap, if there is one for the function and the series.
  std::unique_ptr<SlidingFunction> Sliding(const SampleColumns& samples) const {
    const RangeWindows& windows = call_.windows;
    const bool overlap = windows.range_ms > windows.ends.step_ms;
    // The last digit of a step of a range query must not hang on how many others there are.
    const bool is_alone = windows.ends.count < 2 && !call_.is_range_query;
    const bool is_plain = windows.edges == RangeEdges::kPlain && !windows.pinned;
    if (!is_plain || is_alone || !overlap) return nullptr;
    return MakeSlidingFunction(id_, samples);
  }

  static void Store(WindowResult result, size_t step, Column& column) {
    if (result.kind == WindowResult::Kind::kFloat) column.SetFloat(step, result.value);
    if (result.kind == WindowResult::Kind::kHistogram) {
      column.SetHistogram(step, std::move(result.histogram));
    }
  }

  void Report(std::string_view name, bool gave_floats, WorkNotes& notes) {
    if (!sink_.empty()) {
      for (Annotation& annotation : sink_.Take()) {
        const bool of_first = annotation.kind == AnnotationKind::kInvalidQuantile ||
                              id_ == FunctionId::kQuantileOverTime;
        annotation.metric_name = name;
        notes.Annotate(std::move(annotation),
                       of_first ? call_.first_position : call_.range_position);
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

  const WindowCall& call_;
  const FunctionId id_;
  const WindowFunction function_;
  const StepGrid& grid_;
  QueryBudget& budget_;
  std::vector<double> params_of_step_;
  AnnotationSink sink_;
};

absl::Status EvaluateParams(WindowCall& call, Evaluator& evaluator) {
  for (const promql::ExprPtr& argument : call.call.args) {
    if (argument->type != ValueType::kScalar) continue;
    LOCKSTEP_ASSIGN_OR_RETURN(ScalarValue param, evaluator.EvaluateScalar(*argument));
    call.params.push_back(std::move(param));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<VectorValue> EvaluateWindowsBy(const Call& call, WindowFunction function,
                                              Evaluator& evaluator) {
  WindowCall window_call{call, function, WithoutParens(RangeArgument(call)), {}, {}, {}, {}};
  window_call.range_position = ArgumentPosition(RangeArgument(call));
  window_call.first_position = ArgumentPosition(*call.args[0]);
  LOCKSTEP_RETURN_IF_ERROR(EvaluateParams(window_call, evaluator));
  RangeWindows& windows = window_call.windows;
  LOCKSTEP_ASSIGN_OR_RETURN(windows, ResolveRange(window_call.range, evaluator));
  const FunctionId id = call.function->id;
  // It starts at the sample before the range, if there is one.
  if (id == FunctionId::kIncreasePure) windows.edges = RangeEdges::kAnchored;
  windows.needed = SamplesNeededBy(id, windows);
  QueryContext& context = evaluator.context();
  window_call.is_range_query = context.step_ms > 0;
  LOCKSTEP_ASSIGN_OR_RETURN(SeriesParts parts,
                            OpenRange(window_call.range, windows, evaluator, MaxParts(context)));
  const auto new_worker = [&]() -> ColumnWorker {
    return [worker = WindowWorker(window_call, evaluator.grid(), context.budget)](
               SeriesPart& series, Column& column, WorkNotes& notes) mutable {
      return worker.Apply(series, column, notes);
    };
  };
  return MakeColumns(std::move(parts), !KeepsName(id), evaluator, new_worker);
}

absl::StatusOr<EvaluatedValue> EvaluateWindows(const Call& call, Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(
      VectorValue vector,
      EvaluateWindowsBy(call, FindWindowFunction(call.function->id), evaluator));
  return EvaluatedValue(std::move(vector));
}

absl::Status CheckRangeEdges(const Call& call) {
  const promql::Expr& range = WithoutParens(RangeArgument(call));
  if (range.kind != promql::ExprKind::kMatrixSelector) return absl::OkStatus();
  const RangeEdges edges = promql::As<promql::MatrixSelector>(range).selector->edges;
  const FunctionId id = call.function->id;
  if (edges == RangeEdges::kAnchored && !AnchoredEdgesFit(id)) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "anchored modifier can only be used with: changes, delta, increase, rate, resets - not "
        "with %s",
        call.function->name));
  }
  if (edges == RangeEdges::kSmoothed && !SmoothedEdgesFit(id)) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "smoothed modifier can only be used with: delta, increase, rate - not with %s",
        call.function->name));
  }
  return absl::OkStatus();
}

}  // namespace lockstep::engine
