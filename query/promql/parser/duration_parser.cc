// Duration expressions in ranges, steps and offsets.
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "query/promql/parser/expression_parser.h"
#include "query/promql/parser/parser.h"

namespace lockstep::promql {
namespace {

using Op = DurationExpr::Op;

constexpr int kLowestDurationPrecedence = 1;
constexpr int kUnaryDurationPrecedence = 2;  // that of the multiplying operators
constexpr int kPowDurationPrecedence = 3;

struct DurationOperatorInfo {
  Op op;
  int precedence;
};

std::optional<DurationOperatorInfo> DurationOperator(TokenKind kind) {
  switch (kind) {
    case TokenKind::kAdd:
      return DurationOperatorInfo{Op::kAdd, kLowestDurationPrecedence};
    case TokenKind::kSub:
      return DurationOperatorInfo{Op::kSub, kLowestDurationPrecedence};
    case TokenKind::kMul:
      return DurationOperatorInfo{Op::kMul, kUnaryDurationPrecedence};
    case TokenKind::kDiv:
      return DurationOperatorInfo{Op::kDiv, kUnaryDurationPrecedence};
    case TokenKind::kMod:
      return DurationOperatorInfo{Op::kMod, kUnaryDurationPrecedence};
    case TokenKind::kPow:
      return DurationOperatorInfo{Op::kPow, kPowDurationPrecedence};
    default:
      return std::nullopt;
  }
}

// Prometheus counts nanoseconds in 63 bits. Also true for NaN, which is not a duration.
bool OutOfRange(double seconds) { return !(std::abs(seconds) <= 9223372036854775808.0 / 1e9); }

bool IsZero(const DurationExpr& expr) { return expr.op == Op::kNumber && expr.seconds == 0; }

}  // namespace

absl::StatusOr<ExpressionParser::DurationPtr> ExpressionParser::ParsePositiveDuration() {
  // Shorter ones would be truncated to zero.
  constexpr double kShortestSeconds = 0.001;
  duration_operators_ = 0;
  LOCKSTEP_ASSIGN_OR_RETURN(DurationPtr duration, ParseDurationBinary(kLowestDurationPrecedence));
  if (duration->op == Op::kNumber && duration->seconds < kShortestSeconds) {
    return DurationError(duration->position.start, "duration must be greater than 0");
  }
  return duration;
}

// The next token has already been read to find out whether the expression continues, so a lexer
// error there comes first.
absl::Status ExpressionParser::DurationError(int position, std::string_view message) {
  return NextIs(TokenKind::kError) ? Unexpected() : ErrorAt(position, message);
}

// An offset is one operand with an optional sign: `a offset 1m + 2` and `a offset -(1m) + 2` add 2
// to `a`. Only an offset that begins with parentheses or with two signs continues: `a offset (1m) *
// 2`.
absl::StatusOr<ExpressionParser::DurationPtr> ExpressionParser::ParseOffsetDuration() {
  duration_operators_ = 0;
  if (NextIsSign()) {
    const Token sign = Take();
    const bool goes_on = NextIsSign();
    const bool is_literal = NextIs(TokenKind::kNumber) || NextIs(TokenKind::kDuration);
    LOCKSTEP_ASSIGN_OR_RETURN(DurationPtr operand, goes_on ? ParseDurationUnary()
                                                   : is_literal
                                                       ? ParseDurationLiteral(sign.position)
                                                       : ParseDurationOperand());
    LOCKSTEP_ASSIGN_OR_RETURN(operand, ApplySign(sign, std::move(operand)));
    if (!goes_on) return operand;
    return ContinueDuration(std::move(operand), kLowestDurationPrecedence);
  }
  const bool goes_on = NextIs(TokenKind::kLeftParen);
  LOCKSTEP_ASSIGN_OR_RETURN(DurationPtr operand, ParseDurationOperand());
  if (!goes_on) return operand;
  return ContinueDuration(std::move(operand), kLowestDurationPrecedence);
}

absl::StatusOr<ExpressionParser::DurationPtr> ExpressionParser::ParseDurationBinary(
    int min_precedence) {
  const DepthScope level(*this);
  LOCKSTEP_RETURN_IF_ERROR(CheckDepth(depth_, Peek().position));
  DurationPtr lhs;
  if (NextIsSign()) {
    LOCKSTEP_ASSIGN_OR_RETURN(lhs, ParseDurationUnary());
  } else {
    LOCKSTEP_ASSIGN_OR_RETURN(lhs, ParseDurationOperand());
  }
  return ContinueDuration(std::move(lhs), min_precedence);
}

absl::StatusOr<ExpressionParser::DurationPtr> ExpressionParser::ContinueDuration(
    DurationPtr lhs, int min_precedence) {
  while (true) {
    const std::optional<DurationOperatorInfo> info = DurationOperator(Peek().kind);
    if (!info || info->precedence < min_precedence) return lhs;
    const Token op = Take();
    LOCKSTEP_RETURN_IF_ERROR(CheckDepth(++duration_operators_, op.position));
    auto binary = std::make_unique<DurationExpr>();
    binary->op = info->op;
    const bool right_associative = info->op == Op::kPow;
    LOCKSTEP_ASSIGN_OR_RETURN(binary->rhs,
                              ParseDurationBinary(info->precedence + (right_associative ? 0 : 1)));
    if (info->op == Op::kDiv && IsZero(*binary->rhs)) {
      return DurationError(op.position, "division by zero");
    }
    if (info->op == Op::kMod && IsZero(*binary->rhs)) {
      return DurationError(op.position, "modulo by zero");
    }
    binary->position = {lhs->position.start, binary->rhs->position.end};
    binary->lhs = std::move(lhs);
    lhs = std::move(binary);
  }
}

absl::StatusOr<ExpressionParser::DurationPtr> ExpressionParser::ParseDurationUnary() {
  const Token sign = Take();
  LOCKSTEP_ASSIGN_OR_RETURN(DurationPtr operand, ParseDurationBinary(kUnaryDurationPrecedence + 1));
  return ApplySign(sign, std::move(operand));
}

absl::StatusOr<ExpressionParser::DurationPtr> ExpressionParser::ApplySign(const Token& sign,
                                                                          DurationPtr operand) {
  const bool negate = sign.kind == TokenKind::kSub;
  if (operand->op == Op::kNumber) {
    if (negate) operand->seconds = -operand->seconds;
    operand->parenthesized = false;
    operand->position.start = sign.position;
    return operand;
  }
  if (!negate) return operand;
  auto unary = std::make_unique<DurationExpr>();
  unary->op = Op::kNegate;
  unary->position = {sign.position, operand->position.end};
  unary->lhs = std::move(operand);
  return unary;
}

absl::StatusOr<ExpressionParser::DurationPtr> ExpressionParser::ParseDurationOperand() {
  switch (Peek().kind) {
    case TokenKind::kLeftParen:
      return ParseDurationParen();
    case TokenKind::kNumber:
    case TokenKind::kDuration:
      return ParseDurationLiteral(Peek().position);
    case TokenKind::kStep:
    case TokenKind::kRange:
    case TokenKind::kMinOf:
    case TokenKind::kMaxOf:
      return ParseDurationFunction();
    default:
      return Unexpected();
  }
}

absl::StatusOr<ExpressionParser::DurationPtr> ExpressionParser::ParseDurationParen() {
  Take();
  LOCKSTEP_ASSIGN_OR_RETURN(DurationPtr inner, ParseDurationBinary(kLowestDurationPrecedence));
  LOCKSTEP_RETURN_IF_ERROR(Expect(TokenKind::kRightParen).status());
  inner->parenthesized = true;
  return inner;
}

absl::StatusOr<ExpressionParser::DurationPtr> ExpressionParser::ParseDurationLiteral(
    int error_position) {
  auto literal = std::make_unique<DurationExpr>();
  literal->position = Peek().range();
  literal->is_duration = NextIs(TokenKind::kDuration);
  LOCKSTEP_ASSIGN_OR_RETURN(literal->seconds, TakeNumber());
  if (OutOfRange(literal->seconds)) {
    return ErrorAt(error_position, "duration out of range");
  }
  return literal;
}

// step(), range(), min_of(a, b), max_of(a, b).
absl::StatusOr<ExpressionParser::DurationPtr> ExpressionParser::ParseDurationFunction() {
  auto function = std::make_unique<DurationExpr>();
  const Token name = Take();
  LOCKSTEP_RETURN_IF_ERROR(Expect(TokenKind::kLeftParen).status());
  if (name.kind == TokenKind::kStep || name.kind == TokenKind::kRange) {
    function->op = name.kind == TokenKind::kStep ? Op::kStep : Op::kRange;
  } else {
    function->op = name.kind == TokenKind::kMinOf ? Op::kMin : Op::kMax;
    LOCKSTEP_ASSIGN_OR_RETURN(function->lhs, ParseDurationBinary(kLowestDurationPrecedence));
    LOCKSTEP_RETURN_IF_ERROR(Expect(TokenKind::kComma).status());
    LOCKSTEP_ASSIGN_OR_RETURN(function->rhs, ParseDurationBinary(kLowestDurationPrecedence));
  }
  LOCKSTEP_RETURN_IF_ERROR(Expect(TokenKind::kRightParen).status());
  function->position = {name.position, last_end_};
  // With two operands, the position is that of the operands, as elsewhere.
  if (function->rhs != nullptr) {
    function->position = {function->lhs->position.start, function->rhs->position.end};
  }
  return function;
}

}  // namespace lockstep::promql
