#include "query/promql/parser/lexer.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "query/promql/parser/number_scanner.h"

namespace lockstep::promql {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlpha(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool IsAlphaNumeric(char c) { return IsAlpha(c) || IsDigit(c); }

// The kind of a character that is always a token by itself outside braces, otherwise kError.
TokenKind SingleCharKind(char c) {
  switch (c) {
    case ',':
      return TokenKind::kComma;
    case '*':
      return TokenKind::kMul;
    case '/':
      return TokenKind::kDiv;
    case '%':
      return TokenKind::kMod;
    case '+':
      return TokenKind::kAdd;
    case '-':
      return TokenKind::kSub;
    case '^':
      return TokenKind::kPow;
    default:
      return TokenKind::kError;
  }
}

// "U+0064 'd'", like Go's %#U.
std::string CodePoint(char32_t c) {
  return absl::StrFormat("U+%04X %s", static_cast<uint32_t>(c), QuoteChar(c));
}

int DigitValue(char32_t c) {
  if (c >= '0' && c <= '9') return static_cast<int>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A' + 10);
  return 16;
}

// What must follow a backslash and the character that selects the escape.
struct EscapeForm {
  int digit_count = 0;
  uint32_t base = 16;
  uint32_t max_value = 0x10FFFF;
};

std::optional<EscapeForm> FormOf(char32_t kind, char quote) {
  switch (kind) {
    case 'x':
      return EscapeForm{2, 16, 0xFF};
    case 'u':
      return EscapeForm{4, 16, 0x10FFFF};
    case 'U':
      return EscapeForm{8, 16, 0x10FFFF};
    default:
      break;
  }
  if (kind >= '0' && kind <= '7') return EscapeForm{3, 8, 0xFF};
  if (kind == static_cast<char32_t>(quote)) return EscapeForm{};
  static constexpr std::string_view kNamed = "abfnrtv\\";
  if (kind < 0x80 && kNamed.find(static_cast<char>(kind)) != kNamed.npos) return EscapeForm{};
  return std::nullopt;
}

}  // namespace

Token Lexer::Next() {
  SkipSpaceAndComments();
  start_ = at_;
  switch (mode_) {
    case Mode::kStatement:
      return LexStatement();
    case Mode::kBraces:
      return LexBraces();
    case Mode::kDuration:
      return LexDuration();
  }
  return LexEnd();
}

Token Lexer::LexStatement() {
  if (AtEnd()) return LexEnd();
  const char c = query_[at_];
  if (IsDigit(c) || (c == '.' && at_ + 1 < query_.size() && IsDigit(query_[at_ + 1]))) {
    return LexNumber();
  }
  if (IsAlpha(c) || c == ':') {
    if (!bracket_open_) return LexWord();
    if (c == ':') return LexBracketColon("unexpected colon ':'");
    return LexBracketWord();
  }
  const std::string quoted = QuotedChar();
  const size_t char_size = CharHere().size;
  ++at_;
  if (const TokenKind kind = SingleCharKind(c); kind != TokenKind::kError) return Emit(kind);
  switch (c) {
    case '=':
    case '!':
    case '<':
    case '>':
      return LexComparison(c);
    case '"':
    case '\'':
      return LexString(c);
    case '`':
      return LexRawString();
    case '(':
    case ')':
      return LexParen(c);
    case '{':
      mode_ = Mode::kBraces;
      return Emit(TokenKind::kLeftBrace);
    case '[':
      return LexOpenBracket();
    case ']':
      return LexCloseBracket();
    case '@':
      return Emit(TokenKind::kAt);
    default:
      at_ = start_ + char_size;
      return Fail("unexpected character: " + quoted);
  }
}

Token Lexer::LexBraces() {
  if (AtEnd()) return Fail("unexpected end of input inside braces");
  const char c = query_[at_];
  if (IsAlpha(c)) return LexLabelName();
  const std::string quoted = QuotedChar();
  ++at_;
  switch (c) {
    case ',':
      return Emit(TokenKind::kComma);
    case '"':
    case '\'':
      return LexString(c);
    case '`':
      return LexRawString();
    case '=':
      return Emit(Accept('~') ? TokenKind::kRegexMatch : TokenKind::kAssign);
    case '!':
      if (Accept('~')) return Emit(TokenKind::kRegexNotMatch);
      if (Accept('=')) return Emit(TokenKind::kNotEqual);
      return Fail("unexpected character after '!' inside braces: " + QuotedChar());
    case '{':
      return Fail("unexpected left brace '{'");
    case '}':
      mode_ = Mode::kStatement;
      return Emit(TokenKind::kRightBrace);
    default:
      return Fail("unexpected character inside braces: " + quoted);
  }
}

Token Lexer::LexDuration() {
  if (AtEnd()) return Fail("unexpected end of input in duration expression");
  const char c = query_[at_];
  if (IsDigit(c) || (c == '.' && at_ + 1 < query_.size() && IsDigit(query_[at_ + 1]))) {
    seen_duration_ = true;
    mode_ = Mode::kStatement;
    return LexNumber();
  }
  if (IsAlpha(c)) return LexBracketWord();
  const std::string quoted = QuotedChar();
  if (c == ':') return LexBracketColon("unexpected repeated colon in duration expression");
  ++at_;
  if (const TokenKind kind = SingleCharKind(c); kind != TokenKind::kError) return Emit(kind);
  if (c == '(' || c == ')') return LexParen(c);
  if (c == ']') return LexCloseBracket();
  --at_;
  return Fail("unexpected character in duration expression: " + quoted);
}

Token Lexer::LexEnd() {
  if (open_parens_ != 0) return Fail("unclosed left parenthesis");
  if (bracket_open_) return Fail("unclosed left bracket");
  return Emit(TokenKind::kEof);
}

Token Lexer::LexParen(char c) {
  if (c == '(') {
    ++open_parens_;
    return Emit(TokenKind::kLeftParen);
  }
  if (--open_parens_ >= 0) return Emit(TokenKind::kRightParen);
  start_ = at_;
  return Fail("unexpected right parenthesis ')'");
}

Token Lexer::LexOpenBracket() {
  if (bracket_open_) return Fail("unexpected left bracket '['");
  bracket_open_ = true;
  seen_colon_ = false;
  seen_duration_ = false;
  mode_ = Mode::kDuration;
  return Emit(TokenKind::kLeftBracket);
}

Token Lexer::LexCloseBracket() {
  if (!bracket_open_) return Fail("unexpected right bracket ']'");
  bracket_open_ = false;
  mode_ = Mode::kStatement;
  return Emit(TokenKind::kRightBracket);
}

Token Lexer::LexBracketColon(std::string_view complaint) {
  ++at_;
  if (!seen_duration_) {
    start_ = at_;
    return Fail("unexpected colon before duration in duration expression");
  }
  if (seen_colon_) return Fail(std::string(complaint));
  seen_colon_ = true;
  return Emit(TokenKind::kColon);
}

// step, range, min_of and max_of; no other word is allowed inside brackets.
Token Lexer::LexBracketWord() {
  const std::string first = QuotedChar();
  const size_t first_end = at_ + 1;
  // A digit ends the word: `step1` is a call without parentheses.
  while (!AtEnd() && IsAlpha(query_[at_])) ++at_;
  const TokenKind kind = KeywordKind(query_.substr(start_, at_ - start_));
  switch (kind) {
    case TokenKind::kStep:
    case TokenKind::kRange:
    case TokenKind::kMaxOf:
    case TokenKind::kMinOf:
      seen_duration_ = true;
      return Emit(kind);
    default:
      break;
  }
  at_ = first_end;
  if (mode_ == Mode::kDuration) {
    return Fail("unexpected character in duration expression: " + first);
  }
  return Fail(absl::StrFormat("unexpected character: %s, expected ':'", first));
}

Token Lexer::LexComparison(char c) {
  switch (c) {
    case '=':
      if (NextIs('~')) return Fail("unexpected character after '=': " + QuotedChar());
      return Emit(Accept('=') ? TokenKind::kEqual : TokenKind::kAssign);
    case '!':
      if (Accept('=')) return Emit(TokenKind::kNotEqual);
      return Fail("unexpected character after '!': " + QuotedChar());
    case '<':
      if (Accept('/')) return Emit(TokenKind::kTrimUpper);
      return Emit(Accept('=') ? TokenKind::kLessEqual : TokenKind::kLess);
    default:
      if (Accept('/')) return Emit(TokenKind::kTrimLower);
      return Emit(Accept('=') ? TokenKind::kGreaterEqual : TokenKind::kGreater);
  }
}

Token Lexer::LexNumber() {
  const ScannedNumber number = ScanNumberOrDuration(query_.substr(at_));
  at_ += number.size;
  if (number.kind != TokenKind::kError) return Emit(number.kind);
  return Fail("bad number or duration syntax: " + Quote(query_.substr(start_, at_ - start_)));
}

Token Lexer::LexString(char quote) {
  while (!AtEnd() && !NextIs('\n')) {
    if (Accept(quote)) return Emit(TokenKind::kString);
    if (Accept('\\')) {
      std::string complaint;
      if (!SkipEscape(quote, complaint)) return Fail(std::move(complaint));
      continue;
    }
    const DecodedChar c = CharHere();
    if (c.code_point == DecodedChar::kInvalid) return Fail("invalid UTF-8 rune");
    at_ += c.size;
  }
  return Fail("unterminated quoted string");
}

Token Lexer::LexRawString() {
  while (!AtEnd()) {
    if (Accept('`')) return Emit(TokenKind::kString);
    const DecodedChar c = CharHere();
    if (c.code_point == DecodedChar::kInvalid) return Fail("invalid UTF-8 rune");
    at_ += c.size;
  }
  return Fail("unterminated raw string");
}

bool Lexer::SkipEscape(char quote, std::string& complaint) {
  static constexpr std::string_view kNotTerminated = "escape sequence not terminated";
  complaint = kNotTerminated;
  if (AtEnd()) return false;
  const DecodedChar kind = CharHere();
  const std::optional<EscapeForm> form = FormOf(kind.code_point, quote);
  if (!form) {
    complaint = "unknown escape sequence " + CodePoint(kind.code_point);
    return false;
  }
  // The character that begins an octal escape is its first digit.
  if (form->base != 8) at_ += kind.size;
  uint64_t value = 0;
  for (int i = 0; i < form->digit_count; ++i) {
    if (AtEnd()) return false;
    const DecodedChar c = CharHere();
    const auto digit = static_cast<uint32_t>(DigitValue(c.code_point));
    if (digit >= form->base) {
      complaint =
          absl::StrFormat("illegal character %s in escape sequence", CodePoint(c.code_point));
      return false;
    }
    value = value * form->base + digit;
    at_ += c.size;
  }
  complaint = "escape sequence is an invalid Unicode code point";
  return value <= form->max_value && (value < 0xD800 || value >= 0xE000);
}

Token Lexer::LexWord() {
  while (!AtEnd() && (IsAlphaNumeric(query_[at_]) || NextIs(':'))) ++at_;
  const std::string_view word = query_.substr(start_, at_ - start_);
  if (word.find(':') != std::string_view::npos) return Emit(TokenKind::kMetricIdentifier);
  const TokenKind kind = KeywordKind(word);
  const bool is_fill =
      kind == TokenKind::kFill || kind == TokenKind::kFillLeft || kind == TokenKind::kFillRight;
  // The fill modifiers were added late to the language: without a value they are ordinary names.
  return Emit(is_fill && !ParenFollows() ? TokenKind::kIdentifier : kind);
}

Token Lexer::LexLabelName() {
  while (!AtEnd() && IsAlphaNumeric(query_[at_])) ++at_;
  return Emit(TokenKind::kIdentifier);
}

void Lexer::SkipSpaceAndComments() {
  while (!AtEnd()) {
    if (IsSpace(query_[at_])) {
      ++at_;
    } else if (query_[at_] == '#' && mode_ != Mode::kDuration) {
      while (!AtEnd() && !NextIs('\n') && !NextIs('\r')) ++at_;
    } else {
      return;
    }
  }
}

bool Lexer::Accept(char c) {
  if (!NextIs(c)) return false;
  ++at_;
  return true;
}

bool Lexer::ParenFollows() const {
  size_t i = at_;
  while (i < query_.size() && IsSpace(query_[i])) ++i;
  return i < query_.size() && query_[i] == '(';
}

std::string Lexer::QuotedChar() const { return QuoteChar(CharHere().code_point); }

DecodedChar Lexer::CharHere() const {
  return AtEnd() ? DecodedChar{} : DecodeChar(query_.substr(at_));
}

Token Lexer::Emit(TokenKind kind) {
  return {kind, static_cast<int>(start_), query_.substr(start_, at_ - start_)};
}

Token Lexer::Fail(std::string message) {
  error_ = std::move(message);
  return {TokenKind::kError, static_cast<int>(start_), error_};
}

}  // namespace lockstep::promql
