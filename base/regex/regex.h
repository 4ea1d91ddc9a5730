// Regex: a regular expression in RE2's syntax. RegexTemplate: text with references to captured
// groups.
//
// All calls of RE2 are in this module. Depending on its version, RE2 takes Abseil's string_view or
// its own, and neither need be std::string_view; this module takes and returns std::string_view.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "base/status.h"

namespace re2 {
class RE2;
}

namespace lockstep {

class RegexTemplate;

// The captures of an expression: first the whole match, then each group. A group that took no part
// in the match is empty. The views point into the matched text.
using RegexGroups = absl::InlinedVector<std::string_view, 8>;

// Immutable and safe from any thread; copies share the compiled expression. Matching takes time
// linear in the text.
class Regex {
 public:
  enum class Dot { kExcludesNewline, kMatchesNewline };

  // The limit for a compiled expression, including what matching keeps.
  static constexpr size_t kMaxBytes = 8 << 20;
  // The limit for an expression in a request: an alternation of 20,000 characters needs that much.
  static constexpr size_t kMaxBytesOfRequest = 2 << 20;

  // Fails with kInvalidArgument if `pattern` is not a regular expression or needs more than
  // `max_bytes`; the message is Go's, such as "missing closing ): `(`". Fails with the errors of
  // base/budget/memory_budget.h if there is no memory for it.
  static absl::StatusOr<Regex> Compile(std::string_view pattern, Dot dot = Dot::kExcludesNewline,
                                       size_t max_bytes = kMaxBytes);

  // An expression that matches exactly `text`.
  static std::string Escape(std::string_view text);

  // Whether the whole of `text` matches.
  bool FullMatch(std::string_view text) const;
  // Whether any part of `text` matches.
  bool PartialMatch(std::string_view text) const;
  // The groups if the whole of `text` matches.
  std::optional<RegexGroups> CaptureFull(std::string_view text) const;

  // `text` with every match replaced, as by Go's Regexp.ReplaceAllString.
  std::string ReplaceAll(std::string_view text, const RegexTemplate& replacement) const;

  // The number of the group with that name.
  std::optional<size_t> GroupNamed(std::string_view name) const;

 private:
  enum class Extent { kWhole, kPart };

  explicit Regex(std::shared_ptr<const re2::RE2> compiled) : compiled_(std::move(compiled)) {}

  // The groups of the first match that begins at `begin` or later.
  std::optional<RegexGroups> Capture(std::string_view text, size_t begin, Extent extent) const;

  std::shared_ptr<const re2::RE2> compiled_;
};

// Text with references as in Go's Regexp.Expand: $1, ${1}, $name, ${name}, and $$ for a dollar. A
// name is the longest run of letters, digits and underscores, so $1x means ${1x}. References to
// groups that do not exist expand to nothing. Immutable and safe from any thread.
class RegexTemplate {
 public:
  // `regex` has the names of the groups.
  RegexTemplate(std::string_view text, const Regex& regex);

  // The text for `groups`, which `regex` captured.
  std::string Expand(std::span<const std::string_view> groups) const;
  // The length of that text.
  size_t ExpandedSize(std::span<const std::string_view> groups) const;

 private:
  struct Part {
    std::string literal;
    std::optional<size_t> group;  // follows the literal
  };

  std::vector<Part> parts_;
};

}  // namespace lockstep
