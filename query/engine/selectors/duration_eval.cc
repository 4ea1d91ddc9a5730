#include "query/engine/selectors/duration_eval.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>

#include "absl/strings/str_format.h"
#include "query/engine/kernels/numbers/math_functions.h"

namespace lockstep::engine {
namespace {

using promql::As;
using promql::DurationExpr;
using promql::Expr;
using promql::ExprKind;
using Op = DurationExpr::Op;

absl::StatusOr<double> Seconds(const DurationExpr& expr, const QueryContext& context);

// The message begins with the byte range in the query.
absl::Status ErrorAt(promql::PositionRange position, std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrFormat("%d:%d: %s", position.start, position.end, what));
}

double LookbackSeconds(const QueryContext& context) {
  return static_cast<double>(context.lookback_ms) / 1000;
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
      return MinOf(lhs, rhs);
    case Op::kMax:
      return MaxOf(lhs, rhs);
    default:
      return absl::InternalError("unexpected operator in a duration expression");
  }
}

absl::StatusOr<double> Seconds(const DurationExpr& expr, const QueryContext& context) {
  switch (expr.op) {
    case Op::kNumber:
      return expr.seconds;
    case Op::kStep:
      return context.step_seconds;
    case Op::kRange:
      return static_cast<double>(context.end_ms - context.start_ms) / 1000;
    case Op::kImpliedStep:
      return context.step_ms > 0 ? context.step_seconds : LookbackSeconds(context);
    case Op::kImpliedLookback:
      return std::max(context.step_seconds, LookbackSeconds(context));
    default:
      break;
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const double lhs, Seconds(*expr.lhs, context));
  if (expr.op == Op::kNegate) return -lhs;
  LOCKSTEP_ASSIGN_OR_RETURN(const double rhs, Seconds(*expr.rhs, context));
  return BinarySeconds(expr, lhs, rhs);
}

using DurationPtr = std::unique_ptr<DurationExpr>;

absl::Status CheckPositive(const DurationPtr& duration, const QueryContext& context) {
  if (duration == nullptr) return absl::OkStatus();
  return EvaluatePositiveDuration(*duration, context).status();
}

absl::Status CheckOffset(const promql::TimeModifiers& modifiers, const QueryContext& context) {
  if (modifiers.offset_expr == nullptr) return absl::OkStatus();
  return EvaluateDuration(*modifiers.offset_expr, context).status();
}

absl::Status CheckSubquery(const promql::SubqueryExpr& subquery, const QueryContext& context) {
  LOCKSTEP_RETURN_IF_ERROR(CheckOffset(subquery.modifiers, context));
  LOCKSTEP_RETURN_IF_ERROR(CheckPositive(subquery.step_expr, context));
  LOCKSTEP_RETURN_IF_ERROR(CheckPositive(subquery.range_expr, context));
  return CheckDurations(*subquery.inner, context);
}

absl::StatusOr<int64_t> Milliseconds(const DurationExpr& expr, const QueryContext& context,
                                     bool must_be_positive) {
  // Durations must fit 64 bits of nanoseconds.
  constexpr double kMaxSeconds = 9223372036854775808.0 / 1e9;
  LOCKSTEP_ASSIGN_OR_RETURN(const double seconds, Seconds(expr, context));
  if (!std::isfinite(seconds)) return ErrorAt(expr.position, "duration is NaN or infinite");
  if (must_be_positive && seconds <= 0) {
    return ErrorAt(expr.position, "duration must be greater than 0");
  }
  if (std::fabs(seconds) > kMaxSeconds) return ErrorAt(expr.position, "duration is out of range");
  return static_cast<int64_t>(seconds * 1000);
}

int64_t PinnedTime(const promql::TimeModifiers& modifiers, const QueryContext& context) {
  switch (modifiers.at) {
    case promql::AtModifier::kStart:
      return context.start_ms;
    case promql::AtModifier::kEnd:
      return context.end_ms;
    default:
      return modifiers.at_ms;
  }
}

}  // namespace

absl::StatusOr<int64_t> EvaluateDuration(const DurationExpr& expr, const QueryContext& context) {
  return Milliseconds(expr, context, false);
}

absl::StatusOr<int64_t> EvaluatePositiveDuration(const DurationExpr& expr,
                                                 const QueryContext& context) {
  return Milliseconds(expr, context, true);
}

absl::Status CheckDurations(const Expr& expr, const QueryContext& context) {
  switch (expr.kind) {
    case ExprKind::kParen:
      return CheckDurations(*As<promql::ParenExpr>(expr).inner, context);
    case ExprKind::kUnary:
      return CheckDurations(*As<promql::UnaryExpr>(expr).operand, context);
    case ExprKind::kBinary: {
      const auto& binary = As<promql::BinaryExpr>(expr);
      LOCKSTEP_RETURN_IF_ERROR(CheckDurations(*binary.lhs, context));
      return CheckDurations(*binary.rhs, context);
    }
    case ExprKind::kVectorSelector:
      return CheckOffset(As<promql::VectorSelector>(expr).modifiers, context);
    case ExprKind::kMatrixSelector: {
      const auto& matrix = As<promql::MatrixSelector>(expr);
      LOCKSTEP_RETURN_IF_ERROR(CheckPositive(matrix.range_expr, context));
      return CheckOffset(matrix.selector->modifiers, context);
    }
    case ExprKind::kSubquery:
      return CheckSubquery(As<promql::SubqueryExpr>(expr), context);
    case ExprKind::kAggregate: {
      const auto& aggregate = As<promql::AggregateExpr>(expr);
      LOCKSTEP_RETURN_IF_ERROR(CheckDurations(*aggregate.operand, context));
      return aggregate.param == nullptr ? absl::OkStatus()
                                        : CheckDurations(*aggregate.param, context);
    }
    case ExprKind::kCall:
      for (const promql::ExprPtr& argument : As<promql::Call>(expr).args) {
        LOCKSTEP_RETURN_IF_ERROR(CheckDurations(*argument, context));
      }
      return absl::OkStatus();
    default:
      return absl::OkStatus();
  }
}

absl::StatusOr<SelectionTimes> ResolveTimes(const promql::TimeModifiers& modifiers,
                                            const StepGrid& grid, const QueryContext& context) {
  int64_t offset_ms = modifiers.offset_ms;
  if (modifiers.offset_expr != nullptr) {
    LOCKSTEP_ASSIGN_OR_RETURN(offset_ms, EvaluateDuration(*modifiers.offset_expr, context));
  }
  if (modifiers.at != promql::AtModifier::kNone) {
    return SelectionTimes{StepGrid::At(PinnedTime(modifiers, context) - offset_ms), true};
  }
  return SelectionTimes{{grid.start_ms - offset_ms, grid.step_ms, grid.count}, false};
}

}  // namespace lockstep::engine
