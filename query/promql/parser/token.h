// Token: one token of a PromQL text, from the lexer to the parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "query/promql/syntax/ast.h"

namespace lockstep::promql {

enum class TokenKind : uint8_t {
  kEof,
  kError,  // Token::text is the message
  kComma,
  kColon,
  kAssign,  // '='
  kLeftParen,
  kRightParen,
  kLeftBrace,
  kRightBrace,
  kLeftBracket,
  kRightBracket,
  kIdentifier,
  kMetricIdentifier,  // an identifier with a colon
  kNumber,
  kDuration,
  kString,  // including the quotes

  // Operators.
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMod,
  kPow,
  kAtan2,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kTrimUpper,
  kTrimLower,
  kAnd,
  kOr,
  kUnless,
  kRegexMatch,
  kRegexNotMatch,
  kAt,

  // Aggregators.
  kSum,
  kAvg,
  kCount,
  kMin,
  kMax,
  kGroup,
  kStddev,
  kStdvar,
  kTopk,
  kBottomk,
  kCountValues,
  kQuantile,
  kLimitk,
  kLimitRatio,

  // Keywords.
  kOffset,
  kAnchored,
  kSmoothed,
  kBy,
  kWithout,
  kOn,
  kIgnoring,
  kGroupLeft,
  kGroupRight,
  kBool,
  kFill,
  kFillLeft,
  kFillRight,

  // Keywords that are also functions.
  kStart,
  kEnd,
  kStep,
  kRange,
  kMaxOf,
  kMinOf,
};

struct Token {
  TokenKind kind = TokenKind::kEof;
  int position = 0;       // byte offset of its first byte
  std::string_view text;  // part of the query; for kError, owned by the lexer

  PositionRange range() const { return {position, position + static_cast<int>(text.size())}; }
};

// The keyword for `word`, ignoring case, or kIdentifier. `inf` and `nan` are kNumber.
TokenKind KeywordKind(std::string_view word);

// Its description in error messages: `<op:+>`, `identifier "x"`, `end of input`.
std::string Describe(const Token& token);

inline bool IsOperator(TokenKind kind) { return kind >= TokenKind::kAdd && kind <= TokenKind::kAt; }
inline bool IsAggregator(TokenKind kind) {
  return kind >= TokenKind::kSum && kind <= TokenKind::kLimitRatio;
}
inline bool IsKeyword(TokenKind kind) {
  return kind >= TokenKind::kOffset && kind <= TokenKind::kFillRight;
}
inline bool IsFunctionWord(TokenKind kind) {
  return kind >= TokenKind::kStart && kind <= TokenKind::kMinOf;
}
// Whether the token may be a metric name outside braces.
bool IsMetricName(TokenKind kind);
// Whether an expression may begin with it.
bool StartsExpression(TokenKind kind);
// Whether the token may be in a list of labels: by (...), on (...), group_left (...).
bool IsGroupingLabel(TokenKind kind);

}  // namespace lockstep::promql
