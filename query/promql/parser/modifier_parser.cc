// What follows an operand: `[5m]`, `[5m:1m]`, `offset 1h`, `@ end()`, `anchored`, `smoothed`.
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"
#include "query/promql/parser/expression_parser.h"

namespace lockstep::promql {
namespace {

constexpr std::string_view kDurationForms = "number, duration, step(), or range()";

// The modifiers of an operand, or null if it cannot have any.
TimeModifiers* ModifiersOf(Expr& operand) {
  switch (operand.kind) {
    case ExprKind::kVectorSelector:
      return &static_cast<VectorSelector&>(operand).modifiers;
    case ExprKind::kMatrixSelector:
      return &static_cast<MatrixSelector&>(operand).selector->modifiers;
    case ExprKind::kSubquery:
      return &static_cast<SubqueryExpr&>(operand).modifiers;
    default:
      return nullptr;
  }
}

bool HasOffset(const TimeModifiers& modifiers) {
  return modifiers.offset_ms != 0 || modifiers.offset_expr != nullptr;
}

bool IsLiteral(const DurationExpr& expr) { return expr.op == DurationExpr::Op::kNumber; }

int64_t LiteralMs(const DurationExpr& literal) {
  // Prometheus first rounds to nanoseconds, then truncates to milliseconds.
  return static_cast<int64_t>(std::round(literal.seconds * 1e9)) / 1000000;
}

// The value of a literal is known now; anything else depends on the query's times.
void StoreDuration(std::unique_ptr<DurationExpr> expr, int64_t& ms,
                   std::unique_ptr<DurationExpr>& kept) {
  if (IsLiteral(*expr)) {
    ms = LiteralMs(*expr);
  } else {
    kept = std::move(expr);
  }
}

}  // namespace

absl::StatusOr<ExprPtr> ExpressionParser::ParseModifiers(ExprPtr operand) {
  while (true) {
    switch (Peek().kind) {
      case TokenKind::kLeftBracket: {
        LOCKSTEP_ASSIGN_OR_RETURN(operand, ParseBracket(std::move(operand)));
        LOCKSTEP_RETURN_IF_ERROR(CheckDepth(operand->depth, operand->position.start));
        break;
      }
      case TokenKind::kOffset:
        LOCKSTEP_RETURN_IF_ERROR(ParseOffset(*operand));
        break;
      case TokenKind::kAt:
        LOCKSTEP_RETURN_IF_ERROR(ParseAt(*operand));
        break;
      case TokenKind::kAnchored:
      case TokenKind::kSmoothed:
        LOCKSTEP_RETURN_IF_ERROR(ParseEdges(*operand));
        break;
      default:
        return operand;
    }
  }
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseBracket(ExprPtr operand) {
  const Token bracket = Take();
  DurationPtr range;
  {
    const ContextScope context(*this, {"subquery or range selector", kDurationForms});
    LOCKSTEP_ASSIGN_OR_RETURN(range, ParsePositiveDuration());
  }
  if (Accept(TokenKind::kColon)) return FinishSubquery(std::move(operand), std::move(range));
  if (!NextIs(TokenKind::kRightBracket)) {
    return Unexpected("subquery or range", "\":\" or \"]\"");
  }
  Take();
  return FinishRange(std::move(operand), bracket, std::move(range));
}

absl::StatusOr<ExprPtr> ExpressionParser::FinishRange(ExprPtr operand, const Token& bracket,
                                                      DurationPtr range) {
  if (operand->kind != ExprKind::kVectorSelector) {
    return ErrorAt(bracket.position, "ranges only allowed for vector selectors");
  }
  std::unique_ptr<VectorSelector> selector(static_cast<VectorSelector*>(operand.release()));
  // Only these are rejected: where Prometheus checks, start(), end() and arithmetic are not yet
  // known.
  if (selector->modifiers.offset_ms != 0) {
    return ErrorAt(bracket.position, "no offset modifiers allowed before range");
  }
  if (selector->modifiers.at == AtModifier::kTimestamp) {
    return ErrorAt(bracket.position, "no @ modifiers allowed before range");
  }
  auto matrix = std::make_unique<MatrixSelector>();
  matrix->position = {selector->position.start, last_end_};
  matrix->depth = 1 + selector->depth;
  matrix->selector = std::move(selector);
  StoreDuration(std::move(range), matrix->range_ms, matrix->range_expr);
  return matrix;
}

absl::StatusOr<ExprPtr> ExpressionParser::FinishSubquery(ExprPtr operand, DurationPtr range) {
  auto subquery = std::make_unique<SubqueryExpr>();
  if (!NextIs(TokenKind::kRightBracket)) {
    const ContextScope context(
        *this, {"subquery selector", "number, duration, step(), range(), or \"]\""});
    LOCKSTEP_ASSIGN_OR_RETURN(DurationPtr step, ParsePositiveDuration());
    StoreDuration(std::move(step), subquery->step_ms, subquery->step_expr);
    if (!NextIs(TokenKind::kRightBracket)) return Unexpected("subquery selector", "\"]\"");
  }
  Take();
  subquery->position = {operand->position.start, last_end_};
  subquery->depth = 1 + operand->depth;
  subquery->inner = std::move(operand);
  StoreDuration(std::move(range), subquery->range_ms, subquery->range_expr);
  return subquery;
}

absl::Status ExpressionParser::ParseOffset(Expr& operand) {
  Take();
  DurationPtr offset;
  {
    const ContextScope context(*this, {"offset", kDurationForms});
    LOCKSTEP_ASSIGN_OR_RETURN(offset, ParseOffsetDuration());
  }
  TimeModifiers* modifiers = ModifiersOf(operand);
  if (modifiers == nullptr) {
    return ErrorAt(operand.position.start,
                   "offset modifier must be preceded by an instant vector selector or range vector "
                   "selector or a subquery");
  }
  if (HasOffset(*modifiers)) {
    return ErrorAt(operand.position.start, "offset may not be set multiple times");
  }
  StoreDuration(std::move(offset), modifiers->offset_ms, modifiers->offset_expr);
  operand.position.end = last_end_;
  return absl::OkStatus();
}

absl::Status ExpressionParser::ParseAt(Expr& operand) {
  Take();
  TimeModifiers at;
  {
    const ContextScope context(*this, {"@", "timestamp"});
    LOCKSTEP_RETURN_IF_ERROR(ParseAtValue(at, operand));
  }
  TimeModifiers* modifiers = ModifiersOf(operand);
  if (modifiers == nullptr) {
    return ErrorAt(operand.position.start,
                   "@ modifier must be preceded by an instant vector selector or range vector "
                   "selector or a subquery");
  }
  if (modifiers->at != AtModifier::kNone) {
    return ErrorAt(operand.position.start, "@ <timestamp> may not be set multiple times");
  }
  modifiers->at = at.at;
  modifiers->at_ms = at.at_ms;
  operand.position.end = last_end_;
  return absl::OkStatus();
}

absl::Status ExpressionParser::ParseAtValue(TimeModifiers& modifiers, const Expr& operand) {
  if (NextIs(TokenKind::kStart) || NextIs(TokenKind::kEnd)) {
    modifiers.at = Take().kind == TokenKind::kStart ? AtModifier::kStart : AtModifier::kEnd;
    LOCKSTEP_RETURN_IF_ERROR(Expect(TokenKind::kLeftParen).status());
    return Expect(TokenKind::kRightParen).status();
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const double seconds, TakeSignedNumber());
  const double ms = std::round(seconds * 1000);
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (!(ms > -kEnd && ms < kEnd)) {
    const std::string shown = std::isinf(seconds)   ? (seconds > 0 ? "+Inf" : "-Inf")
                              : std::isnan(seconds) ? "NaN"
                                                    : absl::StrFormat("%f", seconds);
    return ErrorAt(operand.position.start, "timestamp out of bounds for @ modifier: " + shown);
  }
  modifiers.at = AtModifier::kTimestamp;
  modifiers.at_ms = static_cast<int64_t>(ms);
  return absl::OkStatus();
}

absl::Status ExpressionParser::ParseEdges(Expr& operand) {
  const Token word = Take();
  const bool anchored = word.kind == TokenKind::kAnchored;
  const std::string_view name = anchored ? "anchored" : "smoothed";
  RangeEdges* edges = nullptr;
  if (operand.kind == ExprKind::kVectorSelector) {
    edges = &static_cast<VectorSelector&>(operand).edges;
  } else if (operand.kind == ExprKind::kMatrixSelector) {
    edges = &static_cast<MatrixSelector&>(operand).selector->edges;
  } else if (operand.kind == ExprKind::kSubquery) {
    return ErrorAt(operand.position.start,
                   absl::StrFormat("%s modifier is not supported for subqueries", name));
  } else {
    return ErrorAt(operand.position.start, absl::StrFormat("%s modifier not implemented", name));
  }
  const RangeEdges wanted = anchored ? RangeEdges::kAnchored : RangeEdges::kSmoothed;
  if (*edges != RangeEdges::kPlain && *edges != wanted) {
    return ErrorAt(operand.position.start,
                   "anchored and smoothed modifiers cannot be used together");
  }
  *edges = wanted;
  operand.position.end = last_end_;
  return absl::OkStatus();
}

}  // namespace lockstep::promql
