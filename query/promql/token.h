// Token: one word of a PromQL text, as the lexer hands it to the parser.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "query/promql/ast.h"

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
  kMetricIdentifier,  // an identifier with a colon in it
  kNumber,
  kDuration,
  kString,  // with its quotes

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

  // Words that are functions, too.
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
  std::string_view text;  // part of the query, or of the lexer for kError

  PositionRange range() const { return {position, position + static_cast<int>(text.size())}; }
};

// The keyword that `word` is in any case, or kIdentifier. `inf` and `nan` are kNumber.
TokenKind KeywordKind(std::string_view word);

// As error messages name it: `<op:+>`, `identifier "x"`, `end of input`.
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
// Whether the word may stand for a metric name outside of braces.
bool IsMetricName(TokenKind kind);
// Whether an expression may begin with it.
bool StartsExpression(TokenKind kind);
// Whether the word may stand in a list of labels: by (...), on (...), group_left (...).
bool IsGroupingLabel(TokenKind kind);

}  // namespace lockstep::promql
