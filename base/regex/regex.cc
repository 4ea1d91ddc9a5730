#include "base/regex/regex.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/budget/memory_budget.h"
#include "base/regex/recent_regexes.h"
#include "re2/re2.h"
#include "re2/stringpiece.h"

namespace lockstep {
namespace {

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

std::string_view ErrorText(RE2::ErrorCode code) {
  switch (code) {
    case RE2::ErrorBadEscape:
      return "invalid escape sequence";
    case RE2::ErrorBadCharClass:
      return "invalid character class";
    case RE2::ErrorBadCharRange:
      return "invalid character class range";
    case RE2::ErrorMissingBracket:
      return "missing closing ]";
    case RE2::ErrorMissingParen:
      return "missing closing )";
    case RE2::ErrorUnexpectedParen:
      return "unexpected )";
    case RE2::ErrorTrailingBackslash:
      return "trailing backslash at end of expression";
    case RE2::ErrorRepeatArgument:
      return "missing argument to repetition operator";
    case RE2::ErrorRepeatSize:
      return "invalid repeat count";
    case RE2::ErrorRepeatOp:
      return "invalid nested repetition operator";
    case RE2::ErrorBadPerlOp:
      return "invalid or unsupported Perl syntax";
    case RE2::ErrorBadUTF8:
      return "invalid UTF-8";
    case RE2::ErrorBadNamedCapture:
      return "invalid named capture";
    case RE2::ErrorPatternTooLarge:
      return "expression is too large";
    case RE2::NoError:
    case RE2::ErrorInternal:
      break;
  }
  return "internal error";
}

struct ChargedRegex {
  ChargedRegex(std::string_view pattern, const RE2::Options& options)
      : compiled(Piece(pattern), options) {}

  const RE2 compiled;
  MemoryCharge memory{MemoryAccount::kRegex};
};

// The program, the tree that it was compiled from, and the states that matching keeps: more of them
// the longer the program is, but no more than RE2 was allowed.
uint64_t EstimatedBytes(const RE2& compiled) {
  constexpr uint64_t kLeastBytes = 32 << 10;
  constexpr uint64_t kBytesPerInstruction = 1 << 10;
  const uint64_t bytes =
      kLeastBytes + kBytesPerInstruction * static_cast<uint64_t>(compiled.ProgramSize());
  return std::min(bytes, static_cast<uint64_t>(compiled.options().max_mem()));
}

// Expressions that are kept for the next query.
constexpr size_t kMaxKeptPatternBytes = 256;
constexpr int kMaxKeptInstructions = 256;

std::shared_ptr<ChargedRegex> CompileWithin(std::string_view pattern, Regex::Dot dot,
                                            size_t max_bytes) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(static_cast<int64_t>(max_bytes));
  options.set_dot_nl(dot == Regex::Dot::kMatchesNewline);
  return std::make_shared<ChargedRegex>(pattern, options);
}

absl::Status StatusOf(const RE2& compiled) {
  if (compiled.ok()) return absl::OkStatus();
  const std::string_view error = ErrorText(compiled.error_code());
  const std::string& where = compiled.error_arg();
  return absl::InvalidArgumentError(where.empty() ? std::string(error)
                                                  : absl::StrFormat("%s: `%s`", error, where));
}

// If the account is full of expressions that are only kept, they go.
absl::Status Charge(ChargedRegex& regex) {
  const uint64_t bytes = EstimatedBytes(regex.compiled);
  // Each expression is a holder of its own, but many large ones must not use up what is reserved
  // for small ones: they need as much more for a moment as no small holder has.
  constexpr uint64_t kLargeBytes = 128 << 10;
  const uint64_t needed = bytes < kLargeBytes ? bytes : bytes + MemoryBudget::kSmallBytes;
  absl::Status status = regex.memory.Add(needed);
  if (!status.ok() && RecentRegexes::OfProcess().Clear()) status = regex.memory.Add(needed);
  return status.ok() ? regex.memory.Resize(bytes) : status;
}

// The length of the character at `at` in bytes; 1 at the end and for a byte that does not start a
// character.
size_t CharacterLength(std::string_view text, size_t at) {
  size_t end = at + 1;
  while (end < text.size() && end < at + 4 &&
         (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    ++end;
  }
  return end - at;
}

struct Reference {
  std::string_view name;
  size_t length;  // of the whole reference, including the dollar
};

// The reference at the front of `text`, which begins with a dollar; nothing if it is only a dollar.
std::optional<Reference> ReferenceAt(std::string_view text) {
  // As in Go, letters and digits are those of Unicode.
  static const RE2* const kReference =
      new RE2(R"(\$(?:\{([\pL\p{Nd}_]+)\}|([\pL\p{Nd}_]+)))", RE2::Quiet);
  re2::StringPiece found[3];
  if (!kReference->Match(Piece(text), 0, text.size(), RE2::ANCHOR_START, found, 3)) {
    return std::nullopt;
  }
  const re2::StringPiece& name = found[1].empty() ? found[2] : found[1];
  return Reference{{name.data(), name.size()}, found[0].size()};
}

// The group that a reference refers to by number. As in Go, a number has no leading zeros.
std::optional<size_t> GroupNumbered(std::string_view name) {
  constexpr size_t kMaxDigits = 9;  // more groups than any expression has
  const bool is_number =
      std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }) &&
      (name.size() == 1 || name[0] != '0') && name.size() <= kMaxDigits;
  if (!is_number) return std::nullopt;
  size_t number = 0;
  for (const char digit : name) number = number * 10 + static_cast<size_t>(digit - '0');
  return number;
}

}  // namespace

absl::StatusOr<Regex> Regex::Compile(std::string_view pattern, Dot dot, size_t max_bytes) {
  const auto as_regex = [](std::shared_ptr<const ChargedRegex> charged) {
    const RE2& compiled = charged->compiled;
    return Regex(std::shared_ptr<const RE2>(std::move(charged), &compiled));
  };
  if (pattern.size() <= kMaxKeptPatternBytes && max_bytes >= RecentRegexes::kBytesOfEach) {
    std::string key(1, dot == Dot::kMatchesNewline ? 's' : '-');
    key += pattern;
    if (RecentRegexes::RegexPtr kept = RecentRegexes::OfProcess().Find(key))
      return Regex(std::move(kept));
    const auto small = CompileWithin(pattern, dot, RecentRegexes::kBytesOfEach);
    if (small->compiled.ok() && small->compiled.ProgramSize() <= kMaxKeptInstructions) {
      LOCKSTEP_RETURN_IF_ERROR(Charge(*small));
      Regex regex = as_regex(small);
      RecentRegexes::OfProcess().Add(key, regex.compiled_);
      return regex;
    }
  }
  // A large one matches faster with room for more states.
  const auto charged = CompileWithin(pattern, dot, max_bytes);
  LOCKSTEP_RETURN_IF_ERROR(StatusOf(charged->compiled));
  LOCKSTEP_RETURN_IF_ERROR(Charge(*charged));
  return as_regex(charged);
}

std::string Regex::Escape(std::string_view text) { return RE2::QuoteMeta(Piece(text)); }

bool Regex::FullMatch(std::string_view text) const {
  return compiled_->Match(Piece(text), 0, text.size(), RE2::ANCHOR_BOTH, nullptr, 0);
}

bool Regex::PartialMatch(std::string_view text) const {
  return compiled_->Match(Piece(text), 0, text.size(), RE2::UNANCHORED, nullptr, 0);
}

std::optional<RegexGroups> Regex::CaptureFull(std::string_view text) const {
  return Capture(text, 0, Extent::kWhole);
}

std::optional<RegexGroups> Regex::Capture(std::string_view text, size_t begin,
                                          Extent extent) const {
  const auto count = static_cast<size_t>(compiled_->NumberOfCapturingGroups()) + 1;
  absl::InlinedVector<re2::StringPiece, 8> found(count);
  if (!compiled_->Match(Piece(text), begin, text.size(),
                        extent == Extent::kWhole ? RE2::ANCHOR_BOTH : RE2::UNANCHORED, found.data(),
                        static_cast<int>(count))) {
    return std::nullopt;
  }
  RegexGroups groups;
  groups.reserve(count);
  for (const re2::StringPiece& group : found) groups.emplace_back(group.data(), group.size());
  return groups;
}

std::string Regex::ReplaceAll(std::string_view text, const RegexTemplate& replacement) const {
  std::string out;
  size_t copied = 0;
  for (size_t at = 0; at <= text.size();) {
    const std::optional<RegexGroups> groups = Capture(text, at, Extent::kPart);
    if (!groups) break;
    const auto begin = static_cast<size_t>(groups->front().data() - text.data());
    const size_t end = begin + groups->front().size();
    out += text.substr(copied, begin - copied);
    // An empty match directly after another match does not count.
    if (end > copied || begin == 0) out += replacement.Expand(*groups);
    copied = end;
    at = std::max(end, at + CharacterLength(text, at));
  }
  return out += text.substr(copied);
}

std::optional<size_t> Regex::GroupNamed(std::string_view name) const {
  const auto& names = compiled_->NamedCapturingGroups();
  const auto found = names.find(std::string(name));
  if (found == names.end()) return std::nullopt;
  return static_cast<size_t>(found->second);
}

RegexTemplate::RegexTemplate(std::string_view text, const Regex& regex) : parts_(1) {
  while (!text.empty()) {
    const size_t dollar = std::min(text.find('$'), text.size());
    parts_.back().literal += text.substr(0, dollar);
    text.remove_prefix(dollar);
    if (text.empty()) break;
    if (const auto reference = ReferenceAt(text)) {
      const std::optional<size_t> number = GroupNumbered(reference->name);
      parts_.back().group = number ? number : regex.GroupNamed(reference->name);
      parts_.emplace_back();
      text.remove_prefix(reference->length);
    } else {
      parts_.back().literal += '$';
      text.remove_prefix(text.starts_with("$$") ? 2 : 1);
    }
  }
}

size_t RegexTemplate::ExpandedSize(std::span<const std::string_view> groups) const {
  size_t size = 0;
  for (const Part& part : parts_) {
    size += part.literal.size();
    if (part.group && *part.group < groups.size()) size += groups[*part.group].size();
  }
  return size;
}

std::string RegexTemplate::Expand(std::span<const std::string_view> groups) const {
  std::string text;
  for (const Part& part : parts_) {
    text += part.literal;
    if (part.group && *part.group < groups.size()) text += groups[*part.group];
  }
  return text;
}

}  // namespace lockstep
