#include "model/matcher.h"

#include "absl/strings/str_format.h"
#include "model/labels.h"
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

absl::StatusOr<Matcher> Matcher::Make(MatchType type, std::string name, std::string value) {
  Matcher matcher(type, std::move(name), std::move(value));
  if (type == MatchType::kRegex || type == MatchType::kNotRegex) {
    RE2::Options options;
    options.set_log_errors(false);
    auto regex = std::make_shared<const RE2>("^(?s:" + matcher.value_ + ")$", options);
    if (!regex->ok()) {
      return absl::InvalidArgumentError(absl::StrFormat("error parsing regexp: %s: `%s`",
                                                        regex->error(), matcher.value_));
    }
    matcher.regex_ = std::move(regex);
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
  std::string quoted;
  for (const char c : value_) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') {
      quoted += "\\n";
    } else {
      quoted += c;
    }
  }
  const char* name_quote = IsLegacyLabelName(name_) ? "" : "\"";
  return absl::StrFormat("%s%s%s%s\"%s\"", name_quote, name_, name_quote,
                         lockstep::ToString(type_), quoted);
}

}  // namespace lockstep
