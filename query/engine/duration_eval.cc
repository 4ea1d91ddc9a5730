#include "query/engine/duration_eval.h"

#include <algorithm>
#include <cmath>

namespace lockstep::engine {
namespace {

using promql::DurationExpr;
using Op = DurationExpr::Op;

absl::StatusOr<double> Seconds(const DurationExpr& expr, const QueryContext& context);

absl::StatusOr<double> BinarySeconds(Op op, double lhs, double rhs) {
  switch (op) {
    case Op::kAdd:
      return lhs + rhs;
    case Op::kSub:
      return lhs - rhs;
    case Op::kMul:
      return lhs * rhs;
    case Op::kDiv:
      if (rhs == 0) return absl::InvalidArgumentError("division by zero");
      return lhs / rhs;
    case Op::kMod:
      if (rhs == 0) return absl::InvalidArgumentError("modulo by zero");
      return std::fmod(lhs, rhs);
    case Op::kPow:
      return std::pow(lhs, rhs);
    case Op::kMin:
      return std::min(lhs, rhs);
    case Op::kMax:
      return std::max(lhs, rhs);
    default:
      return absl::InternalError("unexpected operator in a duration expression");
  }
}

absl::StatusOr<double> Seconds(const DurationExpr& expr, const QueryContext& context) {
  switch (expr.op) {
    case Op::kNumber:
      return expr.seconds;
    case Op::kStep:
      return static_cast<double>(context.step_ms) / 1000;
    case Op::kRange:
      return static_cast<double>(context.end_ms - context.start_ms) / 1000;
    default:
      break;
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const double lhs, Seconds(*expr.lhs, context));
  if (expr.op == Op::kNegate) return -lhs;
  if (expr.op == Op::kPlus) return lhs;
  LOCKSTEP_ASSIGN_OR_RETURN(const double rhs, Seconds(*expr.rhs, context));
  return BinarySeconds(expr.op, lhs, rhs);
}

}  // namespace

absl::StatusOr<int64_t> EvaluateDuration(const DurationExpr& expr, const QueryContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const double seconds, Seconds(expr, context));
  // Durations are held to what 64 bits of nanoseconds can say; this also refuses NaN.
  constexpr double kMaxSeconds = 9.2e9;
  if (!(std::fabs(seconds) <= kMaxSeconds)) {
    return absl::InvalidArgumentError("duration is out of range");
  }
  return static_cast<int64_t>(seconds * 1000);
}

absl::StatusOr<int64_t> EvaluatePositiveDuration(const DurationExpr& expr,
                                                 const QueryContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const int64_t duration_ms, EvaluateDuration(expr, context));
  if (duration_ms <= 0) return absl::InvalidArgumentError("duration must be greater than 0");
  return duration_ms;
}

}  // namespace lockstep::engine
