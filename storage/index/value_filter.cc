#include "storage/index/value_filter.h"

#include <algorithm>
#include <optional>

namespace lockstep {
namespace {

constexpr std::string_view kMeta = R"(\.+*?()|[]{}^$)";
constexpr std::string_view kEscapable = R"(\.+*?()|[]{}^$-/:,;=~!@#%&"'<> `)";

// `pattern` without a group around all of it. A parenthesis that remains inside is not a literal,
// so a pattern that is not a single group will not be recognised later.
std::string_view WithoutGroup(std::string_view pattern) {
  if (!pattern.starts_with('(') || !pattern.ends_with(')')) return pattern;
  pattern.remove_suffix(1);
  pattern.remove_prefix(pattern.starts_with("(?:") ? 3 : 1);
  return pattern;
}

// Takes a run of literal characters, unescaped, off the front of `pattern`.
std::string TakeLiteral(std::string_view& pattern) {
  std::string literal;
  while (!pattern.empty()) {
    if (pattern.size() >= 2 && pattern[0] == '\\' &&
        kEscapable.find(pattern[1]) != std::string_view::npos) {
      pattern.remove_prefix(1);
    } else if (kMeta.find(pattern[0]) != std::string_view::npos) {
      break;
    }
    literal += pattern[0];
    pattern.remove_prefix(1);
  }
  return literal;
}

std::optional<std::vector<std::string>> Alternatives(std::string_view pattern) {
  std::vector<std::string> literals;
  while (true) {
    literals.push_back(TakeLiteral(pattern));
    if (pattern.empty()) return literals;
    if (pattern[0] != '|') return std::nullopt;
    pattern.remove_prefix(1);
  }
}

}  // namespace

ValueFilter::ValueFilter(const Matcher& matcher)
    : matcher_(matcher),
      negated_(matcher.type() == MatchType::kNotEqual || matcher.type() == MatchType::kNotRegex) {
  if (matcher.type() == MatchType::kEqual || matcher.type() == MatchType::kNotEqual) {
    form_ = Form::kLiterals;
    literals_ = {matcher.value()};
  } else {
    Recognise(WithoutGroup(matcher.value()));
  }
}

void ValueFilter::Recognise(std::string_view pattern) {
  if (pattern == ".*") {
    form_ = Form::kAnything;
  } else if (pattern == ".+") {
    form_ = Form::kNotEmpty;
  } else if (std::optional<std::vector<std::string>> literals = Alternatives(pattern)) {
    form_ = Form::kLiterals;
    literals_ = *std::move(literals);
    std::sort(literals_.begin(), literals_.end());
    literals_.erase(std::unique(literals_.begin(), literals_.end()), literals_.end());
  } else {
    prefix_ = TakeLiteral(pattern);
    if (pattern == ".*") form_ = Form::kPrefix;
  }
}

bool ValueFilter::Admits(std::string_view value) const {
  switch (form_) {
    case Form::kLiterals:
      return std::binary_search(literals_.begin(), literals_.end(), value);
    case Form::kPrefix:
      return value.starts_with(prefix_);
    case Form::kAnything:
      return true;
    case Form::kNotEmpty:
      return !value.empty();
    case Form::kRegex:
      return matcher_.Matches(value) != negated_;
  }
  return false;
}

}  // namespace lockstep
