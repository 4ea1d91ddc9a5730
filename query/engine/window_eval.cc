#include "query/engine/window_eval.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "query/engine/kernels/sliding_functions.h"
#include "query/engine/kernels/window_functions.h"
#include "query/engine/range_series.h"
#include "query/engine/samples_needed.h"
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
  return id == FunctionId::kLastOverTime || id == FunctionId::kFirstOverTime;
}

bool SmoothedEdgesFit(FunctionId id) {
  return id == FunctionId::kRate || id == FunctionId::kIncrease || id == FunctionId::kDelta;
}

bool AnchoredEdgesFit(FunctionId id) {
  return SmoothedEdgesFit(id) || id == FunctionId::kChanges || id == FunctionId::kResets;
}

// One call over all series. The function's scalar arguments are evaluated first.
class WindowEvaluation {
 public:
  WindowEvaluation(const Call& call, Evaluator& evaluator)
      : call_(call),
        range_(WithoutParens(RangeArgument(call))),
        function_(FindWindowFunction(call.function->id)),
        evaluator_(evaluator),
        output_(evaluator.NewVector()) {}

  absl::StatusOr<VectorValue> Run() {
    LOCKSTEP_RETURN_IF_ERROR(EvaluateParams());
    LOCKSTEP_ASSIGN_OR_RETURN(RangeWindows windows, ResolveRange(range_, evaluator_));
    windows.needed = SamplesNeededBy(call_.function->id, windows);
    LOCKSTEP_RETURN_IF_ERROR(ForEachRangeSeries(
        range_, windows, evaluator_,
        [&](const RangeSeries& series) { return ApplyToSeries(series, windows); }));
    return std::move(output_);
  }

 private:
  // Wide windows at many steps take long even for one series.
  static constexpr int64_t kSamplesPerCheck = 16'384;

  absl::Status EvaluateParams() {
    for (const promql::ExprPtr& argument : call_.args) {
      if (argument->type == ValueType::kMatrix) continue;
      LOCKSTEP_ASSIGN_OR_RETURN(ScalarValue param, evaluator_.EvaluateScalar(*argument));
      params_.push_back(std::move(param));
      param_exprs_.push_back(&WithoutParens(*argument));
    }
    params_of_step_.resize(params_.size());
    return absl::OkStatus();
  }

  absl::Status ApplyToSeries(const RangeSeries& series, const RangeWindows& windows) {
    const bool drop_name = series.drop_name || !KeepsName(call_.function->id);
    Column& column = evaluator_.AddSeries(output_, series.labels, drop_name);
    const std::unique_ptr<SlidingFunction> sliding = Sliding(series.samples, windows);
    WindowSlider slider(series.samples, windows);
    int64_t seen_samples = 0;
    int64_t unchecked_samples = 0;
    bool gave_floats = false;
    const StepBlock steps = slider.Steps(column.step_count());
    for (size_t step = steps.begin; step < steps.end; ++step) {
      const Window window = slider.At(step);
      if (window.empty()) continue;
      const auto window_size =
          static_cast<int64_t>(window.float_count() + window.histograms.size());
      seen_samples += window_size;
      unchecked_samples += window_size;
      if (unchecked_samples > kSamplesPerCheck) {
        LOCKSTEP_RETURN_IF_ERROR(evaluator_.context().budget.Check());
        unchecked_samples = 0;
      }
      LOCKSTEP_ASSIGN_OR_RETURN(WindowResult result, Apply(window, step, sliding.get()));
      gave_floats = gave_floats || result.kind == WindowResult::Kind::kFloat;
      Store(std::move(result), step, column);
    }
    evaluator_.context().stats.total_samples += seen_samples;
    Report(series, gave_floats);
    return evaluator_.FinishSeries(output_);
  }

  absl::StatusOr<WindowResult> Apply(const Window& window, size_t step, SlidingFunction* sliding) {
    for (size_t i = 0; i < params_.size(); ++i) params_of_step_[i] = params_[i].values[step];
    LOCKSTEP_RETURN_IF_ERROR(CheckWindowParams(call_.function->id, params_of_step_));
    WindowContext context;
    context.params = params_of_step_;
    context.evaluation_time_ms = evaluator_.grid().TimeAt(step);
    context.sink = &sink_;
    return sliding != nullptr ? sliding->At(window, context) : function_(window, context);
  }

  // The faster way to look at windows that overlap, if there is one for the function and the series.
  std::unique_ptr<SlidingFunction> Sliding(const SampleColumns& samples,
                                           const RangeWindows& windows) const {
    const bool overlap = windows.range_ms > windows.ends.step_ms;
    if (windows.edges != RangeEdges::kPlain || windows.ends.count < 2 || !overlap) return nullptr;
    return MakeSlidingFunction(call_.function->id, samples);
  }

  static void Store(WindowResult result, size_t step, Column& column) {
    if (result.kind == WindowResult::Kind::kFloat) column.SetFloat(step, result.value);
    if (result.kind == WindowResult::Kind::kHistogram) {
      column.SetHistogram(step, std::move(result.histogram));
    }
  }

  void Report(const RangeSeries& series, bool gave_floats) {
    const std::string_view name = series.labels.metric_name();
    AnnotationSet& annotations = evaluator_.context().annotations;
    if (!sink_.empty()) {
      for (Annotation& annotation : sink_.Take()) {
        const bool of_param = annotation.kind == AnnotationKind::kInvalidQuantile;
        annotation.metric_name = name;
        annotations.Add(std::move(annotation),
                        of_param ? param_exprs_[0]->position : range_.position);
      }
    }
    const bool counts =
        call_.function->id == FunctionId::kRate || call_.function->id == FunctionId::kIncrease;
    if (counts && gave_floats && !name.empty() && !LooksLikeCounterName(name)) {
      Annotation annotation;
      annotation.kind = AnnotationKind::kPossibleNonCounter;
      annotation.metric_name = name;
      annotations.Add(std::move(annotation), range_.position);
    }
  }

  const Call& call_;
  const promql::Expr& range_;
  const WindowFunction function_;
  Evaluator& evaluator_;
  std::vector<ScalarValue> params_;
  std::vector<const promql::Expr*> param_exprs_;
  std::vector<double> params_of_step_;
  AnnotationSink sink_;
  VectorValue output_;
};

}  // namespace

absl::StatusOr<EvaluatedValue> EvaluateWindows(const Call& call, Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(VectorValue vector, WindowEvaluation(call, evaluator).Run());
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
