#include "query/engine/kernels/label_text.h"

#include <algorithm>
#include <charconv>
#include <compare>
#include <vector>

#include "re2/re2.h"

namespace lockstep::engine {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool IsNameByte(char c) {
  // Letters outside ASCII are letters too; a byte above 0x7f can only be part of one here, as the
  // text is UTF-8 and names end at the first ASCII byte that is none.
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

struct Reference {
  std::string_view name;
  std::string_view rest;  // of the template, behind the reference
};

// Reads the reference that follows a dollar sign; nothing if there is none.
std::optional<Reference> ReadReference(std::string_view text) {
  const bool braced = text.starts_with('{');
  if (braced) text.remove_prefix(1);
  const auto end = std::find_if_not(text.begin(), text.end(), IsNameByte);
  const auto length = static_cast<size_t>(end - text.begin());
  if (length == 0) return std::nullopt;
  Reference reference{text.substr(0, length), text.substr(length)};
  if (braced) {
    if (!reference.rest.starts_with('}')) return std::nullopt;
    reference.rest.remove_prefix(1);
  }
  return reference;
}

// The number of the group that a reference names; -1 if it names one that is not there.
int GroupNumber(std::string_view name, const RE2& regex) {
  const bool numeric = std::all_of(name.begin(), name.end(), IsDigit) &&
                       (name.size() == 1 || name[0] != '0') && name.size() <= 8;
  if (numeric) {
    int number = 0;
    std::from_chars(name.data(), name.data() + name.size(), number);
    return number;
  }
  const auto& groups = regex.NamedCapturingGroups();
  const auto found = groups.find(std::string(name));
  return found == groups.end() ? -1 : found->second;
}

std::string Expand(std::string_view replacement, const RE2& regex,
                   const std::vector<re2::StringPiece>& groups) {
  std::string out;
  while (true) {
    const size_t dollar = replacement.find('$');
    out += replacement.substr(0, dollar);
    if (dollar == std::string_view::npos) return out;
    replacement.remove_prefix(dollar + 1);
    if (replacement.starts_with('$')) {
      out += '$';
      replacement.remove_prefix(1);
      continue;
    }
    const std::optional<Reference> reference = ReadReference(replacement);
    if (!reference) {
      out += '$';
      continue;
    }
    replacement = reference->rest;
    const int group = GroupNumber(reference->name, regex);
    if (group >= 0 && static_cast<size_t>(group) < groups.size()) {
      const re2::StringPiece& text = groups[static_cast<size_t>(group)];
      out.append(text.data(), text.size());
    }
  }
}

// The run of digits or of anything else that `text` starts with.
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

// Two runs of digits as numbers of any length, anything else by bytes.
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
                                                        std::string replacement) {
  RE2::Options options;
  options.set_log_errors(false);
  const std::string text(regex);
  auto compiled = std::make_shared<const RE2>("^(?s:" + text + ")$", options);
  if (!compiled->ok()) {
    return absl::FailedPreconditionError("invalid regular expression in label_replace(): " + text);
  }
  LabelReplacement made;
  made.regex_ = std::move(compiled);
  made.replacement_ = std::move(replacement);
  return made;
}

std::optional<std::string> LabelReplacement::Apply(std::string_view value) const {
  std::vector<re2::StringPiece> groups(static_cast<size_t>(regex_->NumberOfCapturingGroups()) + 1);
  const bool matches =
      regex_->Match({value.data(), value.size()}, 0, value.size(), RE2::ANCHOR_BOTH, groups.data(),
                    static_cast<int>(groups.size()));
  if (!matches) return std::nullopt;
  return Expand(replacement_, *regex_, groups);
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
