// Replacement: text with references to what a regular expression captured, as Go's templates: $1, ${1},
// $name, ${name} and $$. A name is as long as it can be: $1x is ${1x}, which is nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "re2/re2.h"

namespace lockstep::scrape {

// Immutable and safe from any thread.
class Replacement {
 public:
  // `regex` says which names there are.
  Replacement(std::string_view text, const RE2& regex);

  bool has_references() const { return has_references_; }
  // `groups` are what `regex` captured, the whole match first.
  std::string Expand(const std::vector<std::string_view>& groups) const;

 private:
  struct Part {
    std::string literal;
    int group = -1;  // behind the literal; -1: none
  };

  void AddReference(std::string_view name, const RE2& regex);

  std::vector<Part> parts_;
  bool has_references_ = false;
};

// Whether `text` is a label name, or one once its references are replaced by letters.
bool IsLabelNameTemplate(std::string_view text);

}  // namespace lockstep::scrape
