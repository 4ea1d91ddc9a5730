// Matcher: one condition of a selector on one label. A missing label counts as "".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/regex/regex.h"
#include "base/status.h"

namespace lockstep {

enum class MatchType { kEqual, kNotEqual, kRegex, kNotRegex };

// "=", "!=", "=~" or "!~".
std::string_view ToString(MatchType type);

// Immutable and safe from any thread; copies share the compiled expression.
class Matcher {
 public:
  // Fails with kInvalidArgument if `type` needs a regular expression and `value` is not one.
  // Expressions have RE2's syntax, match the whole value, and their dot matches a newline.
  //
  // For `max_regex_bytes` and further errors see Regex::Compile().
  static absl::StatusOr<Matcher> Make(MatchType type, std::string name, std::string value,
                                      size_t max_regex_bytes = Regex::kMaxBytes);
  static Matcher Equal(std::string name, std::string value);

  MatchType type() const { return type_; }
  const std::string& name() const { return name_; }
  const std::string& value() const { return value_; }

  bool Matches(std::string_view label_value) const;
  bool MatchesEmpty() const { return Matches({}); }
  // name="value", with the name quoted if necessary.
  std::string ToString() const;

  friend bool operator==(const Matcher& a, const Matcher& b) {
    return a.type_ == b.type_ && a.name_ == b.name_ && a.value_ == b.value_;
  }

 private:
  Matcher(MatchType type, std::string name, std::string value)
      : type_(type), name_(std::move(name)), value_(std::move(value)) {}

  MatchType type_;
  std::string name_;
  std::string value_;
  std::optional<Regex> regex_;
};

}  // namespace lockstep
