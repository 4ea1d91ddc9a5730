#include "query/engine/functions/function_eval.h"

#include <utility>

#include "base/string_map.h"
#include "query/engine/context/step_invariant.h"
#include "query/engine/ranges/range_series.h"

namespace lockstep::engine {
namespace {

const promql::VectorSelector* SelectorOf(const promql::Expr& expr) {
  const promql::Expr& inner = WithoutParens(expr);
  if (inner.kind == promql::ExprKind::kVectorSelector) {
    return &promql::As<promql::VectorSelector>(inner);
  }
  if (inner.kind == promql::ExprKind::kMatrixSelector) {
    return promql::As<promql::MatrixSelector>(inner).selector.get();
  }
  return nullptr;
}

// The labels that a plain selector matches by equality. Skips labels with more than one matcher.
LabelSet LabelsAskedFor(const promql::Expr& argument) {
  const promql::VectorSelector* const selector = SelectorOf(argument);
  if (selector == nullptr) return {};
  LabelSetBuilder builder;
  StringSet seen;
  for (const Matcher& matcher : selector->matchers) {
    if (matcher.name() == kMetricName) continue;
    if (matcher.type() == MatchType::kEqual && !seen.contains(matcher.name())) {
      builder.Set(matcher.name(), matcher.value());
      seen.insert(matcher.name());
    } else {
      builder.Delete(matcher.name());
    }
  }
  return builder.Build();
}

absl::StatusOr<EvaluatedValue> OneWhereAbsent(const promql::Call& call,
                                              const std::vector<bool>& found,
                                              const Evaluator& evaluator) {
  VectorValue vector = evaluator.NewVector();
  const bool drop_name = call.function->id == promql::FunctionId::kAbsentOverTime;
  Column& column = evaluator.AddSeries(vector, LabelsAskedFor(*call.args[0]), drop_name);
  for (size_t step = 0; step < found.size(); ++step) {
    if (!found[step]) column.SetFloat(step, 1);
  }
  LOCKSTEP_RETURN_IF_ERROR(evaluator.FinishSeries(vector));
  return EvaluatedValue(std::move(vector));
}

}  // namespace

absl::StatusOr<EvaluatedValue> Absent(const promql::Call& call, Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(const VectorValue vector, evaluator.EvaluateVector(*call.args[0]));
  std::vector<bool> found(evaluator.grid().count);
  for (const EvaluatedSeries& series : vector.series) {
    series.column.ForEachPresent([&](size_t step) { found[step] = true; });
  }
  return OneWhereAbsent(call, found, evaluator);
}

absl::StatusOr<EvaluatedValue> AbsentOverTime(const promql::Call& call, Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(const RangeWindows windows, ResolveRange(*call.args[0], evaluator));
  std::vector<bool> found(evaluator.grid().count);
  LOCKSTEP_RETURN_IF_ERROR(
      ForEachRangeSeries(*call.args[0], windows, evaluator, [&](SeriesPart& series) {
        WindowSlider slider(series.samples(), windows);
        const StepBlock steps = slider.Steps(found.size());
        for (size_t step = steps.begin; step < steps.end; ++step) {
          const Window window = slider.At(step);
          evaluator.counts().Add(step, BudgetSize(window));
          if (!window.empty()) found[step] = true;
        }
        return absl::OkStatus();
      }));
  return OneWhereAbsent(call, found, evaluator);
}

}  // namespace lockstep::engine
