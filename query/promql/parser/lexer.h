// Lexer: splits a PromQL text into tokens on demand.
//
// As in Prometheus, the meaning of a character depends on its context: inside braces, every word is
// a label name; inside brackets, a colon separates the range from the step, and words can only be
// functions of duration expressions; elsewhere, a colon belongs to a metric name.
#pragma once

#include <string>
#include <string_view>

#include "query/promql/parser/token.h"
#include "query/promql/syntax/quoting.h"

namespace lockstep::promql {

// Not thread-safe. `query` must outlive the lexer; the texts of tokens are valid as long as both.
class Lexer {
 public:
  // Reads from `begin` on; positions refer to `query`.
  explicit Lexer(std::string_view query, size_t begin = 0) : query_(query), at_(begin) {}

  // Returns the next token. Must not be called again after kEof or kError.
  Token Next();

 private:
  // kDuration: after a '[' or an operator inside brackets, where a duration must follow.
  enum class Mode { kStatement, kBraces, kDuration };

  Token LexStatement();
  Token LexBraces();
  Token LexDuration();

  Token LexEnd();
  Token LexParen(char c);
  Token LexOpenBracket();
  Token LexCloseBracket();
  Token LexBracketColon(std::string_view complaint);
  Token LexBracketWord();
  Token LexComparison(char c);
  Token LexNumber();
  Token LexString(char quote);
  Token LexRawString();
  bool SkipEscape(char quote, std::string& complaint);
  Token LexWord();
  Token LexLabelName();

  void SkipSpaceAndComments();
  bool AtEnd() const { return at_ == query_.size(); }
  char Peek() const { return AtEnd() ? '\0' : query_[at_]; }
  bool NextIs(char c) const { return !AtEnd() && query_[at_] == c; }
  bool Accept(char c);
  bool ParenFollows() const;
  // The character at the reading position, for messages.
  std::string QuotedChar() const;
  DecodedChar CharHere() const;

  Token Emit(TokenKind kind);
  Token Fail(std::string message);

  const std::string_view query_;
  size_t start_ = 0;  // of the current token
  size_t at_ = 0;     // the reading position
  Mode mode_ = Mode::kStatement;
  int open_parens_ = 0;
  bool bracket_open_ = false;
  bool seen_colon_ = false;     // since the bracket opened
  bool seen_duration_ = false;  // since the bracket opened
  std::string error_;
};

}  // namespace lockstep::promql
