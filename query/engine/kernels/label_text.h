// Text work on label values.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace re2 {
class RE2;
}

namespace lockstep::engine {

// label_replace's regular expression and replacement. The expression must match the whole value and
// its dot matches a newline. The replacement is Go's template: `$1`, `${1}`, `$name`, `${name}`,
// `$$` for a dollar; the longest run of letters, digits and underscores is the name; unknown names
// are empty. Immutable; safe from any thread.
class LabelReplacement {
 public:
  // Fails with kFailedPrecondition if `regex` is no expression.
  static absl::StatusOr<LabelReplacement> Make(std::string_view regex, std::string replacement);

  // The replacement for `value`; nothing if the expression does not match.
  std::optional<std::string> Apply(std::string_view value) const;

 private:
  std::shared_ptr<const re2::RE2> regex_;
  std::string replacement_;
};

// Whether a sorts before b in natural order: runs of digits compare as numbers, so "a9" < "a10";
// texts that only differ in leading zeros compare by bytes. A strict weak order. Source:
// facette/natsort, which Prometheus' sort_by_label uses.
bool NaturalLess(std::string_view a, std::string_view b);

}  // namespace lockstep::engine
