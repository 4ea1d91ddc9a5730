// ValueFilter: applies a matcher to label values. It evaluates the usual regular expressions
// without a regular-expression engine.
//
//   a|b|c, (a|b|c), a\.b    a few literals    foo.*  a prefix    .*  anything    .+  not empty
//
// Immutable and safe from any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/matcher.h"

namespace lockstep {

class ValueFilter {
 public:
  explicit ValueFilter(const Matcher& matcher);

  // Same result as matcher.Matches(value), for values in valid UTF-8.
  bool Matches(std::string_view value) const { return Admits(value) != negated_; }

  enum class Form { kLiterals, kPrefix, kAnything, kNotEmpty, kRegex };
  Form form() const { return form_; }
  // True for != and !~: the form describes the values that do not match.
  bool negated() const { return negated_; }
  // Sorted and unique; for the form kLiterals.
  const std::vector<std::string>& literals() const { return literals_; }

 private:
  // Ignores negation.
  bool Admits(std::string_view value) const;
  void Recognise(std::string_view pattern);

  Matcher matcher_;
  bool negated_;
  Form form_ = Form::kRegex;
  std::vector<std::string> literals_;
  std::string prefix_;
};

}  // namespace lockstep
