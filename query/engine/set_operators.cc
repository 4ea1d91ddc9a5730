#include "query/engine/set_operators.h"

#include <utility>

#include "query/engine/match_groups.h"
#include "query/engine/series_assembler.h"

namespace lockstep::engine {
namespace {

using promql::BinaryOp;

// Which steps of a match group have an element on one side: a column whose floats mean nothing.
Column AnyPresent(const std::vector<EvaluatedSeries>& series, const std::vector<uint32_t>& members,
                  size_t step_count) {
  Column any(step_count);
  for (const uint32_t index : members) {
    series[index].column.ForEachPresent([&](size_t step) { any.SetFloat(step, 0); });
  }
  return any;
}

void EraseWhere(const Column& other, Column& column) {
  other.ForEachPresent([&](size_t step) { column.Erase(step); });
}

void Intersect(const MatchGroups& groups, VectorOperands& operands, size_t step_count) {
  for (const MatchGroups::Group& group : groups.groups) {
    const Column right = AnyPresent(operands.right.series, group.right, step_count);
    for (const uint32_t index : group.left) operands.left.series[index].column.KeepWhere(right);
  }
}

void Subtract(const MatchGroups& groups, VectorOperands& operands, size_t step_count) {
  for (const MatchGroups::Group& group : groups.groups) {
    if (group.left.empty() || group.right.empty()) continue;
    const Column right = AnyPresent(operands.right.series, group.right, step_count);
    for (const uint32_t index : group.left) EraseWhere(right, operands.left.series[index].column);
  }
}

// Leaves of the right side what the left side has no match for.
void SubtractFromRight(const MatchGroups& groups, VectorOperands& operands, size_t step_count) {
  for (const MatchGroups::Group& group : groups.groups) {
    if (group.left.empty() || group.right.empty()) continue;
    const Column left = AnyPresent(operands.left.series, group.left, step_count);
    for (const uint32_t index : group.right) EraseWhere(left, operands.right.series[index].column);
  }
}

absl::Status AddAll(VectorValue& vector, SeriesAssembler& output) {
  for (EvaluatedSeries& series : vector.series) {
    LOCKSTEP_RETURN_IF_ERROR(
        output.Add(std::move(series.labels), series.drop_name, std::move(series.column)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<EvaluatedValue> ApplySetOperator(const promql::BinaryExpr& expr,
                                                VectorOperands operands, Evaluator& evaluator) {
  const size_t step_count = evaluator.grid().count;
  const MatchGroups groups =
      MatchGroups::Of(operands.left.series, operands.right.series, *expr.matching);
  SeriesAssembler output(evaluator);
  if (expr.op == BinaryOp::kAnd) {
    Intersect(groups, operands, step_count);
  } else if (expr.op == BinaryOp::kUnless) {
    Subtract(groups, operands, step_count);
  } else {
    SubtractFromRight(groups, operands, step_count);
  }
  LOCKSTEP_RETURN_IF_ERROR(AddAll(operands.left, output));
  if (expr.op == BinaryOp::kOr) LOCKSTEP_RETURN_IF_ERROR(AddAll(operands.right, output));
  return EvaluatedValue(output.Take());
}

}  // namespace lockstep::engine
