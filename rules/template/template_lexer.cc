#include "rules/template/template_lexer.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"

namespace lockstep::rules {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

bool IsBlank(char c) { return kBlanks.find(c) != std::string_view::npos; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordByte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0;
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<Token>> Lex() {
    while (at_ < text_.size()) {
      LexText();
      if (at_ < text_.size()) LOCKSTEP_RETURN_IF_ERROR(LexAction());
    }
    return std::move(tokens_);
  }

 private:
  // Reads text up to the next action.
  void LexText() {
    const size_t end = std::min(text_.find("{{", at_), text_.size());
    std::string_view piece = text_.substr(at_, end - at_);
    const int line = line_;
    line_ += static_cast<int>(std::ranges::count(piece, '\n'));
    at_ = end;
    if (trims_) piece.remove_prefix(std::min(piece.find_first_not_of(kBlanks), piece.size()));
    if (TrimsBefore()) {
      const size_t last = piece.find_last_not_of(kBlanks);
      piece = last == std::string_view::npos ? std::string_view() : piece.substr(0, last + 1);
    }
    if (!piece.empty()) tokens_.push_back({TokenKind::kText, std::string(piece), line});
  }

  // Whether an action begins here with "{{- ".
  bool TrimsBefore() const {
    return text_.substr(at_).starts_with("{{-") && at_ + 3 < text_.size() &&
           IsBlank(text_[at_ + 3]);
  }

  absl::Status LexAction() {
    at_ += TrimsBefore() ? 3 : 2;
    trims_ = false;
    const size_t inside = std::min(text_.find_first_not_of(kBlanks, at_), text_.size());
    if (text_.substr(inside).starts_with("/*")) return SkipComment(inside);
    tokens_.push_back({TokenKind::kBegin, "", line_});
    while (at_ < text_.size()) {
      if (TakeEnd()) return absl::OkStatus();
      LOCKSTEP_RETURN_IF_ERROR(LexToken());
    }
    return Error("an action is not closed with }}");
  }

  // Takes "}}" or " -}}".
  bool TakeEnd() {
    const size_t dash = text_.find_first_not_of(kBlanks, at_);
    const bool trims =
        dash != at_ && dash != std::string_view::npos && text_.substr(dash).starts_with("-}}");
    if (!trims && !text_.substr(at_).starts_with("}}")) return false;
    at_ = trims ? dash + 3 : at_ + 2;
    trims_ = trims;
    tokens_.push_back({TokenKind::kEnd, "", line_});
    return true;
  }

  absl::Status SkipComment(size_t begin) {
    const size_t end = text_.find("*/", begin);
    if (end == std::string_view::npos) return Error("a comment is not closed with */");
    line_ += static_cast<int>(std::ranges::count(text_.substr(begin, end - begin), '\n'));
    at_ = end + 2;
    tokens_.push_back({TokenKind::kBegin, "", line_});
    if (!TakeEnd()) return Error("a comment must fill its whole action");
    tokens_.resize(tokens_.size() - 2);
    return absl::OkStatus();
  }

  absl::Status LexToken() {
    const char c = text_[at_];
    if (IsBlank(c)) return LexSpace();
    if (c == '"' || c == '`') return LexString(c);
    if (c == '$') return LexWord(TokenKind::kVariable, 1);
    if (c == '.' && !IsDigitAt(at_ + 1)) return LexDot();
    if (IsDigit(c) || c == '.' || ((c == '-' || c == '+') && IsDigitAt(at_ + 1)))
      return LexNumber();
    if (IsWordByte(c)) return LexWord(TokenKind::kIdentifier, 0);
    return LexSign(c);
  }

  bool IsDigitAt(size_t at) const { return at < text_.size() && IsDigit(text_[at]); }

  absl::Status LexSpace() {
    const int line = line_;
    // A trimming end begins with a space.
    while (at_ < text_.size() && IsBlank(text_[at_])) line_ += text_[at_++] == '\n';
    return Add(TokenKind::kSpace, "", line);
  }

  absl::Status LexString(char quote) {
    size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) {
      if (quote == '"' && text_[end] == '\n') break;
      end += quote == '"' && text_[end] == '\\' ? 2 : 1;
    }
    if (end >= text_.size() || text_[end] != quote) return Error("a string is not closed");
    const std::string_view inner = text_.substr(at_ + 1, end - at_ - 1);
    std::string meant(inner);
    std::string why;
    if (quote == '"' && !absl::CUnescape(std::string(inner), &meant, &why)) return Error(why);
    line_ += static_cast<int>(std::ranges::count(inner, '\n'));
    at_ = end + 1;
    return Add(TokenKind::kString, std::move(meant), line_);
  }

  absl::Status LexWord(TokenKind kind, size_t prefix) {
    size_t end = at_ + prefix;
    while (end < text_.size() && IsWordByte(text_[end])) ++end;
    return Take(kind, end);
  }

  absl::Status LexDot() {
    if (at_ + 1 >= text_.size() || !IsWordByte(text_[at_ + 1])) {
      return Take(TokenKind::kDot, at_ + 1);
    }
    ++at_;
    return LexWord(TokenKind::kField, 0);
  }

  absl::Status LexNumber() {
    size_t end = at_ + 1;
    const auto belongs = [this](size_t at) {
      if (IsWordByte(text_[at]) || text_[at] == '.') return true;
      const char before = text_[at - 1];
      return (text_[at] == '-' || text_[at] == '+') && (before == 'e' || before == 'E');
    };
    while (end < text_.size() && belongs(end)) ++end;
    return Take(TokenKind::kNumber, end);
  }

  absl::Status LexSign(char c) {
    switch (c) {
      case '|':
        return Take(TokenKind::kPipe, at_ + 1);
      case '(':
        return Take(TokenKind::kOpen, at_ + 1);
      case ')':
        return Take(TokenKind::kClose, at_ + 1);
      case ',':
        return Take(TokenKind::kComma, at_ + 1);
      case '=':
        return Take(TokenKind::kAssign, at_ + 1);
      case ':':
        if (text_.substr(at_).starts_with(":=")) return Take(TokenKind::kDeclare, at_ + 2);
        [[fallthrough]];
      default:
        return Error(absl::StrFormat("unexpected '%c' in an action", c));
    }
  }

  absl::Status Take(TokenKind kind, size_t end) {
    std::string text(text_.substr(at_, end - at_));
    at_ = end;
    return Add(kind, std::move(text), line_);
  }

  absl::Status Add(TokenKind kind, std::string text, int line) {
    tokens_.push_back({kind, std::move(text), line});
    return absl::OkStatus();
  }

  absl::Status Error(std::string_view what) const {
    return absl::InvalidArgumentError(absl::StrFormat("line %d: %s", line_, what));
  }

  const std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
  bool trims_ = false;  // whether to trim the text after the last action
  std::vector<Token> tokens_;
};

}  // namespace

absl::StatusOr<std::vector<Token>> LexTemplate(std::string_view text) { return Lexer(text).Lex(); }

}  // namespace lockstep::rules
