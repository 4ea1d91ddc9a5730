// Regex: a regular expression in RE2's syntax, and RegexTemplate: text that refers to what one captured.
//
// All calls of RE2 are here. RE2 takes Abseil's string_view or one of its own, depending on its version, and
// neither need be std::string_view; everything here takes and returns std::string_view.
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

// What an expression captured: first the whole match, then each group. A group that took no part in the
// match is empty. The views point into the text that was matched.
using RegexGroups = absl::InlinedVector<std::string_view, 8>;

// Immutable and safe from any thread; copies share the compiled expression. Matching takes time linear in
// the text.
class Regex {
 public:
  enum class Dot { kExcludesNewline, kMatchesNewline };

  // What an expression may need once it is compiled, with what matching keeps.
  static constexpr size_t kMaxBytes = 8 << 20;
  // Of one that a request brings: an alternation of 20,000 characters needs as much.
  static constexpr size_t kMaxBytesOfRequest = 2 << 20;

  // Fails with kInvalidArgument and says why in Go's words, such as "missing closing ): `(`", if `pattern` is
  // not a regular expression, or if it would need more than `max_bytes`; with the errors of base/memory_budget.h if
  // there is no memory for it.
  static absl::StatusOr<Regex> Compile(std::string_view pattern, Dot dot = Dot::kExcludesNewline,
                                       size_t max_bytes = kMaxBytes);

  // `text` as an expression that matches just that text.
  static std::string Escape(std::string_view text);

  // Whether the whole of `text` matches.
  bool FullMatch(std::string_view text) const;
  // Whether any part of `text` matches.
  bool PartialMatch(std::string_view text) const;
  // What the groups are if the whole of `text` matches.
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

// Text with references as in Go's Regexp.Expand: $1, ${1}, $name, ${name}, and $$ for a dollar. A name is the
// longest run of letters, digits and underscores, so that $1x is ${1x}. References to groups that do not exist
// stand for nothing. Immutable and safe from any thread.
class RegexTemplate {
 public:
  // `regex` says which names there are.
  RegexTemplate(std::string_view text, const Regex& regex);

  // The text for `groups`, which `regex` captured.
  std::string Expand(std::span<const std::string_view> groups) const;
  // How long that text is.
  size_t ExpandedSize(std::span<const std::string_view> groups) const;

 private:
  struct Part {
    std::string literal;
    std::optional<size_t> group;  // follows the literal
  };

  std::vector<Part> parts_;
};

}  // namespace lockstep
