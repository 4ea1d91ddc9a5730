#include "query/engine/operators/binary_eval.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "query/engine/context/series_assembler.h"
#include "query/engine/operators/match_groups.h"

namespace lockstep::engine {
namespace {

using promql::BinaryOp;

// The steps at which one side of a match group has an element, as a column whose values are
// meaningless.
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

// Keeps the elements of the right side that have no match on the left side.
void SubtractFromRight(const MatchGroups& groups, VectorOperands& operands, size_t step_count) {
  for (const MatchGroups::Group& group : groups.groups) {
    if (group.left.empty() || group.right.empty()) continue;
    const Column left = AnyPresent(operands.left.series, group.left, step_count);
    for (const uint32_t index : group.right) EraseWhere(left, operands.right.series[index].column);
  }
}

// Elements with the same labels never occur at the same step, but the name may have to be dropped
// at one step and kept at another, as in `abs(a) or a`. These are two series.
class SetResult {
 public:
  explicit SetResult(const Evaluator& evaluator)
      : is_single_step_(evaluator.is_single_step()), named_(evaluator), nameless_(evaluator) {}

  absl::Status AddAll(VectorValue& vector) {
    for (EvaluatedSeries& series : vector.series) {
      // In a single step, keep the order of elements.
      SeriesAssembler& output = series.drop_name && !is_single_step_ ? nameless_ : named_;
      LOCKSTEP_RETURN_IF_ERROR(
          output.Add(std::move(series.labels), series.drop_name, std::move(series.column)));
    }
    return absl::OkStatus();
  }

  VectorValue Take() {
    VectorValue all = named_.Take();
    VectorValue nameless = nameless_.Take();
    std::ranges::move(nameless.series, std::back_inserter(all.series));
    all.charge.Absorb(std::move(nameless.charge));
    return all;
  }

 private:
  const bool is_single_step_;
  SeriesAssembler named_;
  SeriesAssembler nameless_;
};

}  // namespace

absl::StatusOr<EvaluatedValue> ApplySetOperator(const promql::BinaryExpr& expr,
                                                VectorOperands operands, Evaluator& evaluator) {
  const size_t step_count = evaluator.grid().count;
  const MatchGroups groups =
      MatchGroups::Of(operands.left.series, operands.right.series, *expr.matching);
  SetResult result(evaluator);
  if (expr.op == BinaryOp::kAnd) {
    Intersect(groups, operands, step_count);
  } else if (expr.op == BinaryOp::kUnless) {
    Subtract(groups, operands, step_count);
  } else {
    SubtractFromRight(groups, operands, step_count);
  }
  LOCKSTEP_RETURN_IF_ERROR(result.AddAll(operands.left));
  if (expr.op == BinaryOp::kOr) LOCKSTEP_RETURN_IF_ERROR(result.AddAll(operands.right));
  return EvaluatedValue(result.Take());
}

}  // namespace lockstep::engine
