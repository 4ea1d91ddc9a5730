#include "query/promql/parser/expression_parser.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "query/promql/parser/literal.h"
#include "query/promql/parser/parse_error.h"
#include "query/promql/parser/parser.h"
#include "query/promql/syntax/implied_windows.h"
#include "query/promql/syntax/quoting.h"

namespace lockstep::promql {
namespace {

// Higher binds tighter.
constexpr int kLowestPrecedence = 1;
constexpr int kUnaryPrecedence = 5;  // that of the multiplying operators
constexpr int kPowPrecedence = 6;

struct OperatorInfo {
  BinaryOp op;
  int precedence;
};

std::optional<OperatorInfo> BinaryOperator(TokenKind kind) {
  switch (kind) {
    case TokenKind::kOr:
      return OperatorInfo{BinaryOp::kOr, kLowestPrecedence};
    case TokenKind::kAnd:
      return OperatorInfo{BinaryOp::kAnd, 2};
    case TokenKind::kUnless:
      return OperatorInfo{BinaryOp::kUnless, 2};
    case TokenKind::kEqual:
      return OperatorInfo{BinaryOp::kEqual, 3};
    case TokenKind::kNotEqual:
      return OperatorInfo{BinaryOp::kNotEqual, 3};
    case TokenKind::kLess:
      return OperatorInfo{BinaryOp::kLess, 3};
    case TokenKind::kLessEqual:
      return OperatorInfo{BinaryOp::kLessEqual, 3};
    case TokenKind::kGreater:
      return OperatorInfo{BinaryOp::kGreater, 3};
    case TokenKind::kGreaterEqual:
      return OperatorInfo{BinaryOp::kGreaterEqual, 3};
    case TokenKind::kTrimUpper:
      return OperatorInfo{BinaryOp::kTrimUpper, 3};
    case TokenKind::kTrimLower:
      return OperatorInfo{BinaryOp::kTrimLower, 3};
    case TokenKind::kAdd:
      return OperatorInfo{BinaryOp::kAdd, 4};
    case TokenKind::kSub:
      return OperatorInfo{BinaryOp::kSub, 4};
    case TokenKind::kMul:
      return OperatorInfo{BinaryOp::kMul, kUnaryPrecedence};
    case TokenKind::kDiv:
      return OperatorInfo{BinaryOp::kDiv, kUnaryPrecedence};
    case TokenKind::kMod:
      return OperatorInfo{BinaryOp::kMod, kUnaryPrecedence};
    case TokenKind::kAtan2:
      return OperatorInfo{BinaryOp::kAtan2, kUnaryPrecedence};
    case TokenKind::kPow:
      return OperatorInfo{BinaryOp::kPow, kPowPrecedence};
    default:
      return std::nullopt;
  }
}

void SetDepth(Call& call) {
  for (const ExprPtr& arg : call.args) call.depth = std::max(call.depth, 1 + arg->depth);
}

}  // namespace

absl::StatusOr<ExprPtr> ExpressionParser::ParseWhole() {
  if (NextIs(TokenKind::kEof)) return ErrorAt(0, "no expression found in input");
  LOCKSTEP_ASSIGN_OR_RETURN(ExprPtr expr, ParseLowest());
  if (!NextIs(TokenKind::kEof)) return Unexpected();
  return expr;
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseLowest() { return ParseBinary(kLowestPrecedence); }

absl::StatusOr<ExprPtr> ExpressionParser::ParseBinary(int min_precedence) {
  const DepthScope level(*this);
  LOCKSTEP_RETURN_IF_ERROR(CheckDepth(depth_, Peek().position));
  LOCKSTEP_ASSIGN_OR_RETURN(ExprPtr lhs, ParseOperand());
  LOCKSTEP_RETURN_IF_ERROR(CheckDepth(lhs->depth, lhs->position.start));
  while (true) {
    const std::optional<OperatorInfo> info = BinaryOperator(Peek().kind);
    if (!info || info->precedence < min_precedence) return lhs;
    auto binary = std::make_unique<BinaryExpr>();
    binary->op = info->op;
    binary->op_position = Take().range();
    LOCKSTEP_RETURN_IF_ERROR(ParseBinaryModifiers(*binary));
    const bool right_associative = info->precedence == kPowPrecedence;
    LOCKSTEP_ASSIGN_OR_RETURN(binary->rhs,
                              ParseBinary(info->precedence + (right_associative ? 0 : 1)));
    binary->position = {lhs->position.start, binary->rhs->position.end};
    binary->depth = 1 + std::max(lhs->depth, binary->rhs->depth);
    LOCKSTEP_RETURN_IF_ERROR(CheckDepth(binary->depth, binary->op_position.start));
    binary->lhs = std::move(lhs);
    lhs = std::move(binary);
  }
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseOperand() {
  if (NextIsSign()) return ParseUnary();
  LOCKSTEP_ASSIGN_OR_RETURN(ExprPtr primary, ParsePrimary());
  return ParseModifiers(std::move(primary));
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseUnary() {
  const Token sign = Take();
  const bool negate = sign.kind == TokenKind::kSub;
  LOCKSTEP_ASSIGN_OR_RETURN(ExprPtr operand, ParseBinary(kUnaryPrecedence + 1));
  if (operand->kind == ExprKind::kNumber) {
    auto& number = static_cast<NumberLiteral&>(*operand);
    if (negate) number.value = -number.value;
    number.position.start = sign.position;
    return operand;
  }
  auto unary = std::make_unique<UnaryExpr>();
  unary->negate = negate;
  unary->position = {sign.position, operand->position.end};
  unary->depth = 1 + operand->depth;
  unary->operand = std::move(operand);
  return unary;
}

absl::StatusOr<ExprPtr> ExpressionParser::ParsePrimary() {
  switch (Peek().kind) {
    case TokenKind::kNumber:
    case TokenKind::kDuration:
      return ParseNumberLiteral();
    case TokenKind::kString:
      return ParseStringLiteral();
    case TokenKind::kLeftParen:
      return ParseParen();
    case TokenKind::kLeftBrace:
      return ParseSelector(nullptr);
    default:
      return IsMetricName(Peek().kind) ? ParseNamed() : Unexpected();
  }
}

// A name may begin a call, an aggregation or a selector, depending on what follows it.
absl::StatusOr<ExprPtr> ExpressionParser::ParseNamed() {
  const Token name = Take();
  const TokenKind follower = Peek().kind;
  if (IsAggregator(name.kind)) {
    if (follower == TokenKind::kLeftParen || follower == TokenKind::kBy ||
        follower == TokenKind::kWithout) {
      return ParseAggregate(name);
    }
  } else if (follower == TokenKind::kLeftParen &&
             (name.kind == TokenKind::kIdentifier || IsFunctionWord(name.kind))) {
    if (const Template* used = FindTemplate(scope_, name.text, true)) {
      return ParseTemplateCall(*used, name);
    }
    return IsWith(name) ? ParseWith(name) : ParseCall(name);
  }
  if (const Template* used = FindTemplate(scope_, name.text, false)) {
    return ParseTemplateName(*used, name);
  }
  return ParseSelector(&name);
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseParen() {
  auto paren = std::make_unique<ParenExpr>();
  paren->position.start = Take().position;
  LOCKSTEP_ASSIGN_OR_RETURN(paren->inner, ParseLowest());
  if (dialect_ == Dialect::kMetricsql && NextIs(TokenKind::kComma)) {
    return ParseUnion(std::move(paren->inner), paren->position.start);
  }
  LOCKSTEP_RETURN_IF_ERROR(Expect(TokenKind::kRightParen).status());
  paren->position.end = last_end_;
  paren->depth = 1 + paren->inner->depth;
  return paren;
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseUnion(ExprPtr first, int start) {
  has_list_ = true;
  auto call = std::make_unique<Call>();
  call->function = FindMetricsqlFunction("union");
  call->args.push_back(std::move(first));
  while (Accept(TokenKind::kComma)) {
    // The list may end with a comma.
    if (NextIs(TokenKind::kRightParen)) break;
    LOCKSTEP_ASSIGN_OR_RETURN(ExprPtr expr, ParseLowest());
    call->args.push_back(std::move(expr));
  }
  LOCKSTEP_RETURN_IF_ERROR(Expect(TokenKind::kRightParen).status());
  call->position = {start, last_end_};
  SetDepth(*call);
  return call;
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseNumberLiteral() {
  auto literal = std::make_unique<NumberLiteral>();
  literal->position = Peek().range();
  literal->is_duration = NextIs(TokenKind::kDuration);
  LOCKSTEP_ASSIGN_OR_RETURN(literal->value, TakeNumber());
  return literal;
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseStringLiteral() {
  const Token token = Take();
  auto literal = std::make_unique<StringLiteral>();
  literal->position = token.range();
  literal->value = Unquote(token.text);
  return literal;
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseCall(const Token& name) {
  LOCKSTEP_ASSIGN_OR_RETURN(Arguments arguments, ParseArguments());
  auto call = std::make_unique<Call>();
  call->function = FindKnownFunction(name.text);
  if (call->function == nullptr) {
    return ErrorAt(name.position, "unknown function with name " + Quote(name.text));
  }
  call->position = {name.position, arguments.end};
  call->args = std::move(arguments.exprs);
  if (dialect_ == Dialect::kMetricsql) GiveImpliedWindows(*call);
  SetDepth(*call);
  return call;
}

const FunctionSignature* ExpressionParser::FindKnownFunction(std::string_view name) {
  const FunctionSignature* function = FindFunction(name);
  if (function != nullptr || dialect_ == Dialect::kPromql) return function;
  function = FindMetricsqlFunction(name);
  names_metricsql_ |= function != nullptr;
  return function;
}

absl::StatusOr<ExpressionParser::Arguments> ExpressionParser::ParseArguments() {
  LOCKSTEP_RETURN_IF_ERROR(Expect(TokenKind::kLeftParen).status());
  Arguments arguments;
  if (!NextIs(TokenKind::kRightParen)) {
    while (true) {
      LOCKSTEP_ASSIGN_OR_RETURN(ExprPtr argument, ParseLowest());
      arguments.exprs.push_back(std::move(argument));
      if (!NextIs(TokenKind::kComma)) break;
      const int comma = Take().position;
      if (NextIs(TokenKind::kError)) return Unexpected();
      if (!StartsExpression(Peek().kind)) {
        return ErrorAt(comma, "trailing commas not allowed in function call args");
      }
    }
  }
  LOCKSTEP_RETURN_IF_ERROR(Expect(TokenKind::kRightParen).status());
  arguments.end = last_end_;
  return arguments;
}

absl::StatusOr<double> ExpressionParser::TakeNumber() {
  if (!NextIs(TokenKind::kNumber) && !NextIs(TokenKind::kDuration)) return Unexpected();
  const Token token = Take();
  if (token.kind == TokenKind::kNumber) {
    const absl::StatusOr<double> number = ParseNumber(token.text);
    if (!number.ok()) return ErrorAt(token.position, Message(number.status()));
    return *number;
  }
  const absl::StatusOr<int64_t> duration_ms = ParseDurationMs(token.text);
  if (!duration_ms.ok()) return ErrorAt(token.position, Message(duration_ms.status()));
  return static_cast<double>(*duration_ms) / 1000;
}

absl::StatusOr<double> ExpressionParser::TakeSignedNumber() {
  const bool negate = NextIs(TokenKind::kSub);
  if (negate || NextIs(TokenKind::kAdd)) Take();
  LOCKSTEP_ASSIGN_OR_RETURN(const double number, TakeNumber());
  return negate ? -number : number;
}

const Token& ExpressionParser::Peek() {
  if (!has_next_) {
    next_ = lexer_.Next();
    has_next_ = true;
  }
  return next_;
}

Token ExpressionParser::Take() {
  const Token token = Peek();
  has_next_ = false;
  last_end_ = token.range().end;
  return token;
}

bool ExpressionParser::Accept(TokenKind kind) {
  if (!NextIs(kind)) return false;
  Take();
  return true;
}

absl::StatusOr<Token> ExpressionParser::Expect(TokenKind kind) {
  if (!NextIs(kind)) return Unexpected();
  return Take();
}

absl::Status ExpressionParser::ErrorAt(int position, std::string_view message) const {
  return ParseError(query_, position, message);
}

absl::Status ExpressionParser::Unexpected() {
  return Unexpected(context_.place, context_.expected);
}

absl::Status ExpressionParser::Unexpected(std::string_view place, std::string_view expected) {
  const Token& token = Peek();
  if (token.kind == TokenKind::kError) return ErrorAt(token.position, token.text);
  std::string message = "unexpected " + Describe(token);
  if (!place.empty()) message += absl::StrFormat(" in %s", place);
  if (!expected.empty()) message += absl::StrFormat(", expected %s", expected);
  return ErrorAt(token.position, message);
}

absl::Status ExpressionParser::CheckDepth(int depth, int position) const {
  if (depth <= kMaxExprDepth) return absl::OkStatus();
  return ErrorAt(position,
                 absl::StrFormat("expression is nested more than %d levels deep", kMaxExprDepth));
}

}  // namespace lockstep::promql
