#include "query/engine/context/evaluator.h"

#include <algorithm>
#include <utility>

#include "query/engine/context/step_invariant.h"
#include "query/engine/kernels/histograms/histogram_math.h"

namespace lockstep::engine {
namespace {

using promql::Expr;
using promql::ExprKind;

bool IsLiteral(const Expr& expr) {
  return expr.kind == ExprKind::kNumber || expr.kind == ExprKind::kString;
}

// Subqueries may have millions of steps.
constexpr size_t kStepsPerCheck = 1 << 16;

void Negate(Column& column) {
  column.MapFloats([](double value) { return -value; });
  if (!column.has_histograms()) return;
  column.ForEachPresent([&](size_t step) {
    if (column.histogram(step) == nullptr) return;
    Histogram negated = *column.histogram(step);
    Scale(negated, -1);
    column.SetHistogram(step, std::make_shared<const Histogram>(std::move(negated)));
  });
}

}  // namespace

absl::StatusOr<EvaluatedValue> Evaluator::Evaluate(const Expr& expr) {
  LOCKSTEP_RETURN_IF_ERROR(context_.budget.Check());
  const TraceSpan span(context_.trace, expr);
  if ((grid_.count > 1 || grid_.is_range) && !IsLiteral(expr) && IsStepInvariant(expr)) {
    return EvaluateOnceAndRepeat(expr);
  }
  return EvaluateNode(expr);
}

absl::StatusOr<VectorValue> Evaluator::EvaluateVector(const Expr& expr) {
  LOCKSTEP_ASSIGN_OR_RETURN(EvaluatedValue value, Evaluate(expr));
  return std::get<VectorValue>(std::move(value));
}

absl::StatusOr<ScalarValue> Evaluator::EvaluateScalar(const Expr& expr) {
  LOCKSTEP_ASSIGN_OR_RETURN(EvaluatedValue value, Evaluate(expr));
  return std::get<ScalarValue>(std::move(value));
}

VectorValue Evaluator::NewVector() const { return {{}, SampleCharge(context_.budget)}; }

absl::StatusOr<ScalarValue> Evaluator::NewScalar() const {
  ScalarValue scalar{{}, SampleCharge(context_.budget)};
  LOCKSTEP_RETURN_IF_ERROR(scalar.charge.Add(static_cast<int64_t>(grid_.count)));
  scalar.values.resize(grid_.count);
  return scalar;
}

Column& Evaluator::AddSeries(VectorValue& vector, LabelSet labels, bool drop_name) const {
  vector.series.push_back({std::move(labels), drop_name, Column(grid_.count)});
  return vector.series.back().column;
}

absl::Status Evaluator::FinishSeries(VectorValue& vector) const {
  const EvaluatedSeries& series = vector.series.back();
  if (series.column.empty()) {
    vector.series.pop_back();
    return absl::OkStatus();
  }
  LOCKSTEP_RETURN_IF_ERROR(vector.charge.AddText(series.labels.bytes().size()));
  return vector.charge.Add(series.column.BudgetSize());
}

absl::StatusOr<EvaluatedValue> Evaluator::EvaluateNode(const Expr& expr) {
  SharedParts* const parts = context_.shared_parts;
  SharedPart* const part = parts == nullptr ? nullptr : parts->Find(expr);
  return part == nullptr ? EvaluateAlone(expr) : EvaluateShared(expr, *part);
}

absl::StatusOr<EvaluatedValue> Evaluator::EvaluateShared(const Expr& expr, SharedPart& part) {
  --part.uses_left;
  if (part.kept.has_value() && part.kept->grid == grid_) {
    counts_.Add(part.kept->counts);
    if (part.uses_left > 0) {
      if (absl::StatusOr<VectorValue> copy = Copy(part.kept->value); copy.ok()) {
        return EvaluatedValue(*std::move(copy));
      }
    }
    EvaluatedValue last(std::move(part.kept->value));
    part.kept.reset();
    return last;
  }
  const SampleCounts counts_before = std::exchange(counts_, NewCounts());
  const size_t annotations_before = context_.annotations.added_count();
  LOCKSTEP_ASSIGN_OR_RETURN(EvaluatedValue value, EvaluateAlone(expr));
  const SampleCounts counts_of_part = counts_;
  counts_.Add(counts_before);
  const auto* vector = std::get_if<VectorValue>(&value);
  if (vector == nullptr || part.uses_left == 0) return value;
  if (context_.annotations.added_count() != annotations_before) return value;
  // If there is no room for a copy, the other occurrences read again.
  if (absl::StatusOr<VectorValue> copy = Copy(*vector); copy.ok()) {
    part.kept = {grid_, *std::move(copy), counts_of_part};
  }
  return value;
}

absl::StatusOr<EvaluatedValue> Evaluator::EvaluateOnceAndRepeat(const Expr& expr) {
  Evaluator once(context_, StepGrid::At(grid_.start_ms));
  LOCKSTEP_ASSIGN_OR_RETURN(EvaluatedValue value, once.EvaluateNode(expr));
  counts_.AddAtEveryStep(grid_.count, once.counts().total());
  if (const auto* scalar = std::get_if<ScalarValue>(&value)) {
    LOCKSTEP_ASSIGN_OR_RETURN(ScalarValue repeated, NewScalar());
    std::fill(repeated.values.begin(), repeated.values.end(), scalar->values[0]);
    return EvaluatedValue(std::move(repeated));
  }
  auto* vector = std::get_if<VectorValue>(&value);
  if (vector == nullptr) return value;
  VectorValue repeated = NewVector();
  for (EvaluatedSeries& series : vector->series) {
    Column& column = AddSeries(repeated, std::move(series.labels), series.drop_name);
    for (size_t step = 0; step < grid_.count; ++step) {
      if (step % kStepsPerCheck == 0) LOCKSTEP_RETURN_IF_ERROR(context_.budget.Check());
      column.Set(step, series.column, 0);
    }
    LOCKSTEP_RETURN_IF_ERROR(FinishSeries(repeated));
  }
  return EvaluatedValue(std::move(repeated));
}

absl::StatusOr<EvaluatedValue> Evaluator::EvaluateUnary(const promql::UnaryExpr& expr) {
  LOCKSTEP_ASSIGN_OR_RETURN(EvaluatedValue value, Evaluate(*expr.operand));
  if (!expr.negate) return value;
  if (auto* scalar = std::get_if<ScalarValue>(&value)) {
    for (double& number : scalar->values) number = -number;
  } else if (auto* vector = std::get_if<VectorValue>(&value)) {
    for (EvaluatedSeries& series : vector->series) {
      series.drop_name = true;
      Negate(series.column);
    }
  }
  return value;
}

}  // namespace lockstep::engine
