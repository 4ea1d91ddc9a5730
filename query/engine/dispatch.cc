// The part of Evaluator that knows all kinds of expressions. It is here, above the rooms that it
// calls, because these call the evaluator for their operands.
#include <algorithm>

#include "query/engine/aggregates/aggregate_eval.h"
#include "query/engine/context/evaluator.h"
#include "query/engine/functions/function_eval.h"
#include "query/engine/operators/binary_eval.h"
#include "query/engine/selectors/selector_eval.h"

namespace lockstep::engine {
namespace {

using promql::As;
using promql::Expr;
using promql::ExprKind;

}  // namespace

absl::StatusOr<EvaluatedValue> Evaluator::EvaluateAlone(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kNumber: {
      LOCKSTEP_ASSIGN_OR_RETURN(ScalarValue scalar, NewScalar());
      std::fill(scalar.values.begin(), scalar.values.end(), As<promql::NumberLiteral>(expr).value);
      return EvaluatedValue(std::move(scalar));
    }
    case ExprKind::kString:
      return EvaluatedValue(StringValue{As<promql::StringLiteral>(expr).value});
    case ExprKind::kParen:
      return Evaluate(*As<promql::ParenExpr>(expr).inner);
    case ExprKind::kUnary:
      return EvaluateUnary(As<promql::UnaryExpr>(expr));
    case ExprKind::kBinary:
      return EvaluateBinary(As<promql::BinaryExpr>(expr), *this);
    case ExprKind::kVectorSelector:
      return EvaluateSelector(As<promql::VectorSelector>(expr), *this);
    case ExprKind::kAggregate:
      return EvaluateAggregate(As<promql::AggregateExpr>(expr), *this);
    case ExprKind::kCall:
      return EvaluateCall(As<promql::Call>(expr), *this);
    case ExprKind::kMatrixSelector:
    case ExprKind::kSubquery:
      break;
  }
  return absl::InternalError("a range vector has no value at a step");
}

}  // namespace lockstep::engine
