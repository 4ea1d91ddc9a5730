// ValueFilter: a matcher as a question about label values, with the usual regular expressions answered
// without a regular-expression engine.
//
//   a|b|c, (a|b|c), a\.b    a few literals      foo.*   a prefix      .*  anything      .+  not empty
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

  // As matcher.Matches(value), for values in valid UTF-8.
  bool Matches(std::string_view value) const { return Admits(value) != negated_; }

  enum class Form { kLiterals, kPrefix, kAnything, kNotEmpty, kRegex };
  Form form() const { return form_; }
  // True for != and !~: what has the form is what does not match.
  bool negated() const { return negated_; }
  // Sorted and unique; of the form kLiterals.
  const std::vector<std::string>& literals() const { return literals_; }

 private:
  // Without regard to negation.
  bool Admits(std::string_view value) const;
  void Recognise(std::string_view pattern);

  Matcher matcher_;
  bool negated_;
  Form form_ = Form::kRegex;
  std::vector<std::string> literals_;
  std::string prefix_;
};

}  // namespace lockstep
