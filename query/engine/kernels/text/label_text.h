// Text functions for label values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/regex/regex.h"
#include "base/status.h"

namespace lockstep::engine {

// label_replace's regular expression and replacement. The expression must match the whole value,
// and its dot matches a newline. The replacement is a RegexTemplate. Immutable and thread-safe.
class LabelReplacement {
 public:
  // Returns kFailedPrecondition if `regex` is invalid, and the error of Regex::Compile() if memory
  // is short.
  static absl::StatusOr<LabelReplacement> Make(std::string_view regex,
                                               std::string_view replacement);

  // The replacement for `value`; empty if the expression does not match. Same errors as
  // CheckMadeLabel().
  absl::StatusOr<std::optional<std::string>> Apply(std::string_view value) const;

 private:
  LabelReplacement(Regex regex, RegexTemplate replacement)
      : regex_(std::move(regex)), replacement_(std::move(replacement)) {}

  Regex regex_;
  RegexTemplate replacement_;
};

// The maximum size of a label value that a query creates.
inline constexpr size_t kMaxMadeLabelBytes = 64 << 10;
// Returns kFailedPrecondition if `bytes` exceeds the maximum.
absl::Status CheckMadeLabel(size_t bytes, std::string_view function);

// Whether a sorts before b in natural order: runs of digits compare as numbers, so "a9" < "a10";
// strings that differ only in leading zeros compare by bytes. A strict weak order. Source:
// facette/natsort, which Prometheus' sort_by_label uses.
bool NaturalLess(std::string_view a, std::string_view b);

}  // namespace lockstep::engine
