#include "query/engine/duration_eval.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "absl/strings/str_format.h"

namespace lockstep::engine {
namespace {

using promql::DurationExpr;
using Op = DurationExpr::Op;

absl::StatusOr<double> Seconds(const DurationExpr& expr, const QueryContext& context);

// Beginning and end are bytes of the query.
absl::Status ErrorAt(promql::PositionRange position, std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrFormat("%d:%d: %s", position.start, position.end, what));
}

absl::StatusOr<double> BinarySeconds(const DurationExpr& expr, double lhs, double rhs) {
  switch (expr.op) {
    case Op::kAdd:
      return lhs + rhs;
    case Op::kSub:
      return lhs - rhs;
    case Op::kMul:
      return lhs * rhs;
    case Op::kDiv:
      if (rhs == 0) return ErrorAt(expr.position, "division by zero");
      return lhs / rhs;
    case Op::kMod:
      if (rhs == 0) return ErrorAt(expr.position, "modulo by zero");
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
  return BinarySeconds(expr, lhs, rhs);
}

absl::StatusOr<int64_t> Milliseconds(const DurationExpr& expr, double seconds) {
  // Durations are held to what 64 bits of nanoseconds can say; this also refuses NaN.
  constexpr double kMaxSeconds = 9.2e9;
  if (!(std::fabs(seconds) <= kMaxSeconds)) {
    return ErrorAt(expr.position, "duration is out of range");
  }
  return static_cast<int64_t>(seconds * 1000);
}

}  // namespace

absl::StatusOr<int64_t> EvaluateDuration(const DurationExpr& expr, const QueryContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const double seconds, Seconds(expr, context));
  return Milliseconds(expr, seconds);
}

absl::StatusOr<int64_t> EvaluatePositiveDuration(const DurationExpr& expr,
                                                 const QueryContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const double seconds, Seconds(expr, context));
  if (seconds <= 0) return ErrorAt(expr.position, "duration must be greater than 0");
  return Milliseconds(expr, seconds);
}

}  // namespace lockstep::engine
