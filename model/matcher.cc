#include "model/matcher.h"

#include "absl/strings/str_format.h"
#include "model/label_notation.h"
#include "re2/re2.h"

namespace lockstep {

std::string_view ToString(MatchType type) {
  switch (type) {
    case MatchType::kEqual:
      return "=";
    case MatchType::kNotEqual:
      return "!=";
    case MatchType::kRegex:
      return "=~";
    case MatchType::kNotRegex:
      return "!~";
  }
  return "?";
}

namespace {

// Go's words for what RE2 found wrong: clients know Prometheus' messages.
std::string_view ErrorText(RE2::ErrorCode code) {
  switch (code) {
    case RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case RE2::ErrorBadCharClass:
      return "invalid character class";
    case RE2::ErrorBadCharRange:
      return "invalid character class range";
    case RE2::ErrorMissingBracket:
      return "missing closing ]";
    case RE2::ErrorMissingParen:
      return "missing closing )";
    case RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    case RE2::ErrorPatternTooLarge:
      return "expression is too large";
    case RE2::NoError:
    case RE2::ErrorInternal:
      break;
  }
  return "internal error";
}

// Fails if `pattern` is no regular expression.
absl::StatusOr<std::shared_ptr<const RE2>> Compile(const std::string& pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  auto regex = std::make_shared<const RE2>(pattern, options);
  if (regex->ok()) return regex;
  return absl::InvalidArgumentError(absl::StrFormat(
      "error parsing regexp: %s: `%s`", ErrorText(regex->error_code()), regex->error_arg()));
}

}  // namespace

absl::StatusOr<Matcher> Matcher::Make(MatchType type, std::string name, std::string value) {
  Matcher matcher(type, std::move(name), std::move(value));
  if (type == MatchType::kRegex || type == MatchType::kNotRegex) {
    // By itself too: "a)(b" is none, but would become one inside the parentheses.
    LOCKSTEP_RETURN_IF_ERROR(Compile(matcher.value_).status());
    LOCKSTEP_ASSIGN_OR_RETURN(matcher.regex_, Compile("^(?s:" + matcher.value_ + ")$"));
  }
  return matcher;
}

Matcher Matcher::Equal(std::string name, std::string value) {
  return Matcher(MatchType::kEqual, std::move(name), std::move(value));
}

bool Matcher::Matches(std::string_view label_value) const {
  switch (type_) {
    case MatchType::kEqual:
      return label_value == value_;
    case MatchType::kNotEqual:
      return label_value != value_;
    case MatchType::kRegex:
      return RE2::FullMatch({label_value.data(), label_value.size()}, *regex_);
    case MatchType::kNotRegex:
      return !RE2::FullMatch({label_value.data(), label_value.size()}, *regex_);
  }
  return false;
}

std::string Matcher::ToString() const {
  std::string text;
  AppendLabelName(text, name_);
  text += lockstep::ToString(type_);
  AppendQuoted(text, value_);
  return text;
}

}  // namespace lockstep
