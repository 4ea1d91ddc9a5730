#include "query/engine/kernels/text/label_text.h"

#include <algorithm>
#include <compare>
#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::engine {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The leading run of digits, or of non-digits, in `text`.
std::string_view FirstChunk(std::string_view text) {
  const bool digits = IsDigit(text[0]);
  const auto end =
      std::find_if(text.begin(), text.end(), [digits](char c) { return IsDigit(c) != digits; });
  return text.substr(0, static_cast<size_t>(end - text.begin()));
}

std::string_view WithoutLeadingZeros(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return digits;
}

// Compares two runs of digits as numbers of any length, anything else by bytes.
std::strong_ordering CompareChunks(std::string_view a, std::string_view b) {
  if (IsDigit(a[0]) && IsDigit(b[0])) {
    a = WithoutLeadingZeros(a);
    b = WithoutLeadingZeros(b);
    if (a.size() != b.size()) return a.size() <=> b.size();
  }
  return a <=> b;
}

}  // namespace

absl::StatusOr<LabelReplacement> LabelReplacement::Make(std::string_view regex,
                                                        std::string_view replacement) {
  absl::StatusOr<Regex> compiled = Regex::Compile(
      absl::StrFormat("^(?s:%s)$", regex), Regex::Dot::kExcludesNewline, Regex::kMaxBytesOfRequest);
  if (!compiled.ok() && !absl::IsInvalidArgument(compiled.status())) return compiled.status();
  if (!compiled.ok()) {
    return absl::FailedPreconditionError(
        absl::StrFormat("invalid regular expression in label_replace(): %s", regex));
  }
  RegexTemplate text(replacement, *compiled);
  return LabelReplacement(*std::move(compiled), std::move(text));
}

absl::StatusOr<std::optional<std::string>> LabelReplacement::Apply(std::string_view value) const {
  const std::optional<RegexGroups> groups = regex_.CaptureFull(value);
  if (!groups) return std::nullopt;
  LOCKSTEP_RETURN_IF_ERROR(CheckMadeLabel(replacement_.ExpandedSize(*groups), "label_replace"));
  return replacement_.Expand(*groups);
}

absl::Status CheckMadeLabel(size_t bytes, std::string_view function) {
  if (bytes <= kMaxMadeLabelBytes) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrFormat("%s() would make a label value of %d bytes, more than the limit of %d",
                      function, bytes, kMaxMadeLabelBytes));
}

bool NaturalLess(std::string_view a, std::string_view b) {
  std::string_view rest_a = a;
  std::string_view rest_b = b;
  while (!rest_a.empty() && !rest_b.empty()) {
    const std::string_view chunk_a = FirstChunk(rest_a);
    const std::string_view chunk_b = FirstChunk(rest_b);
    const std::strong_ordering order = CompareChunks(chunk_a, chunk_b);
    if (std::is_neq(order)) return std::is_lt(order);
    rest_a.remove_prefix(chunk_a.size());
    rest_b.remove_prefix(chunk_b.size());
  }
  if (rest_a.empty() && rest_b.empty()) return a < b;
  return rest_a.empty();
}

}  // namespace lockstep::engine
