#include "model/matcher.h"

#include "model/label_notation.h"

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

// With Prometheus' message for an invalid expression.
absl::StatusOr<Regex> Compile(std::string_view pattern, size_t max_bytes) {
  absl::StatusOr<Regex> regex = Regex::Compile(pattern, Regex::Dot::kExcludesNewline, max_bytes);
  if (!regex.ok()) return Annotate(regex.status(), "error parsing regexp");
  return regex;
}

}  // namespace

absl::StatusOr<Matcher> Matcher::Make(MatchType type, std::string name, std::string value,
                                      size_t max_regex_bytes) {
  Matcher matcher(type, std::move(name), std::move(value));
  if (type == MatchType::kRegex || type == MatchType::kNotRegex) {
    absl::StatusOr<Regex> regex = Compile("^(?s:" + matcher.value_ + ")$", max_regex_bytes);
    // "a)(b" is invalid, but becomes valid inside the parentheses. Messages show the expression
    // without them.
    if (!regex.ok() || matcher.value_.find(')') != std::string::npos) {
      LOCKSTEP_RETURN_IF_ERROR(Compile(matcher.value_, max_regex_bytes).status());
    }
    LOCKSTEP_RETURN_IF_ERROR(regex.status());
    matcher.regex_ = *std::move(regex);
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
      return regex_->FullMatch(label_value);
    case MatchType::kNotRegex:
      return !regex_->FullMatch(label_value);
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
