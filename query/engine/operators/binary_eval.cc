#include "query/engine/operators/binary_eval.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "query/promql/syntax/operator_names.h"

namespace lockstep::engine {
namespace {

ScalarValue ApplyToScalars(promql::BinaryOp op, ScalarValue left, const ScalarValue& right) {
  WithFloatOperator(op, [&](auto apply) {
    for (size_t step = 0; step < left.values.size(); ++step) {
      left.values[step] = static_cast<double>(apply(left.values[step], right.values[step]));
    }
  });
  return left;
}

// Only histograms can be trimmed. Like Prometheus, checks this only here.
absl::Status RefuseScalars(promql::BinaryOp op) {
  return absl::FailedPreconditionError(absl::StrFormat(
      "operator \"%s\" not allowed for Scalar operations", promql::OperatorName(op)));
}

}  // namespace

absl::StatusOr<EvaluatedValue> EvaluateBinary(const promql::BinaryExpr& expr,
                                              Evaluator& evaluator) {
  LOCKSTEP_ASSIGN_OR_RETURN(EvaluatedValue left, evaluator.Evaluate(*expr.lhs));
  LOCKSTEP_ASSIGN_OR_RETURN(EvaluatedValue right, evaluator.Evaluate(*expr.rhs));
  auto* left_scalar = std::get_if<ScalarValue>(&left);
  auto* right_scalar = std::get_if<ScalarValue>(&right);
  if (left_scalar != nullptr && right_scalar != nullptr) {
    if (promql::IsTrim(expr.op)) return RefuseScalars(expr.op);
    return EvaluatedValue(ApplyToScalars(expr.op, std::move(*left_scalar), *right_scalar));
  }
  BinaryNotes notes(evaluator.context().annotations, expr);
  if (right_scalar != nullptr) {
    return EvaluatedValue(ApplyToVectorAndScalar(expr, std::get<VectorValue>(std::move(left)),
                                                 *right_scalar, ScalarSide::kRight, notes));
  }
  if (left_scalar != nullptr) {
    return EvaluatedValue(ApplyToVectorAndScalar(expr, std::get<VectorValue>(std::move(right)),
                                                 *left_scalar, ScalarSide::kLeft, notes));
  }
  VectorOperands operands{std::get<VectorValue>(std::move(left)),
                          std::get<VectorValue>(std::move(right))};
  if (IsSetOperator(expr.op)) return ApplySetOperator(expr, std::move(operands), evaluator);
  return ApplyToVectors(expr, std::move(operands), evaluator);
}

}  // namespace lockstep::engine
