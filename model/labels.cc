#include "model/labels.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "base/coding.h"
#include "model/label_notation.h"

namespace lockstep {
namespace {

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

void AppendLabel(std::string& bytes, LabelView label) {
  PutLengthPrefixed(bytes, label.name);
  PutLengthPrefixed(bytes, label.value);
}

// Texts shorter than this have lengths of one byte.
constexpr size_t kLongText = 0x80;

// Returns the position after it.
char* PutShortText(char* at, std::string_view text) {
  *at++ = static_cast<char>(text.size());
  std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

bool IsNameByte(char c, bool first) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (!first && c >= '0' && c <= '9');
}

// The number of ASCII bytes at the front of `text`, in whole words: all but the last few bytes of
// most labels.
size_t AsciiLength(std::string_view text) {
  constexpr uint64_t kHighBits = 0x8080808080808080;
  size_t length = 0;
  for (uint64_t word; length + sizeof(word) <= text.size(); length += sizeof(word)) {
    std::memcpy(&word, text.data() + length, sizeof(word));
    if ((word & kHighBits) != 0) break;
  }
  return length;
}

// The length of the UTF-8 sequence at the front of `text`, or 0 if there is none.
size_t Utf8SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Rejects overlong forms, surrogates and everything beyond U+10FFFF.
  if (lead == 0xe0 && byte(1) < 0xa0) return 0;
  if (lead == 0xed && byte(1) > 0x9f) return 0;
  if (lead == 0xf0 && byte(1) < 0x90) return 0;
  if (lead == 0xf4 && byte(1) > 0x8f) return 0;
  return length;
}

}  // namespace

void LabelSet::Iterator::Read() {
  if (at_ == end_) return;
  std::string_view rest(at_, static_cast<size_t>(end_ - at_));
  const bool whole = GetLengthPrefixed(rest, label_.name) && GetLengthPrefixed(rest, label_.value);
  LOCKSTEP_CHECK(whole);
  next_ = rest.data();
}

LabelSet::Iterator& LabelSet::Iterator::operator++() {
  at_ = next_;
  Read();
  return *this;
}

LabelSet LabelSet::Of(std::vector<LabelView> labels) {
  std::stable_sort(labels.begin(), labels.end(),
                   [](const LabelView& a, const LabelView& b) { return a.name < b.name; });
  LabelSet set;
  for (size_t i = 0; i < labels.size(); ++i) {
    const bool repeated = i + 1 < labels.size() && labels[i + 1].name == labels[i].name;
    if (!repeated && !labels[i].value.empty()) AppendLabel(set.bytes_, labels[i]);
  }
  return set;
}

LabelSet LabelSet::OfSorted(std::span<const LabelView> labels) {
  LabelSet set;
  size_t text_bytes = 0, lengths = 0;
  for (const LabelView& label : labels) {
    text_bytes += label.name.size() + label.value.size();
    lengths |= label.name.size() | label.value.size();
  }
  if (lengths >= kLongText) {
    for (const LabelView& label : labels) AppendLabel(set.bytes_, label);
    return set;
  }
  set.bytes_.resize(text_bytes + 2 * labels.size());
  char* at = set.bytes_.data();
  for (const LabelView& label : labels) {
    at = PutShortText(at, label.name);
    at = PutShortText(at, label.value);
  }
  return set;
}

absl::StatusOr<LabelSet> LabelSet::FromBytes(std::string_view bytes) {
  std::string_view rest = bytes;
  std::string_view previous;
  while (!rest.empty()) {
    LabelView label;
    if (!GetLengthPrefixed(rest, label.name) || !GetLengthPrefixed(rest, label.value)) {
      return absl::DataLossError("label set is truncated");
    }
    if (label.name <= previous || label.value.empty()) {
      return absl::DataLossError("label set is not sorted, or has an empty value");
    }
    previous = label.name;
  }
  LabelSet set;
  set.bytes_.assign(bytes);
  return set;
}

size_t LabelSet::size() const { return static_cast<size_t>(std::distance(begin(), end())); }

std::string_view LabelSet::Get(std::string_view name) const {
  for (const LabelView& label : *this) {
    if (label.name >= name) return label.name == name ? label.value : std::string_view();
  }
  return {};
}

LabelSet LabelSet::Keep(const std::vector<std::string>& names) const {
  LabelSet kept;
  for (const LabelView& label : *this) {
    if (Contains(names, label.name)) AppendLabel(kept.bytes_, label);
  }
  return kept;
}

LabelSet LabelSet::Drop(const std::vector<std::string>& names) const {
  LabelSet kept;
  for (const LabelView& label : *this) {
    if (!Contains(names, label.name)) AppendLabel(kept.bytes_, label);
  }
  return kept;
}

LabelSet LabelSet::DropMetricName() const {
  Iterator label = begin();
  while (label != end() && label->name < kMetricName) ++label;
  if (label == end() || label->name != kMetricName) return *this;
  LabelSet kept;
  kept.bytes_.reserve(bytes_.size());
  kept.bytes_.append(bytes_.data(), label.at_);
  kept.bytes_.append(label.next_, label.end_);
  return kept;
}

LabelSet LabelSet::With(LabelView added) const {
  Iterator label = begin();
  while (label != end() && label->name < added.name) ++label;
  const bool is_repeated = label != end() && label->name == added.name;
  constexpr size_t kMostLengthBytes = 20;
  LabelSet set;
  set.bytes_.reserve(bytes_.size() + added.name.size() + added.value.size() + kMostLengthBytes);
  set.bytes_.append(bytes_.data(), label.at_);
  if (!added.value.empty()) AppendLabel(set.bytes_, added);
  set.bytes_.append(is_repeated ? label.next_ : label.at_, label.end_);
  return set;
}

std::string LabelSet::ToString() const {
  const std::string_view metric = metric_name();
  const bool bare = !metric.empty() && IsLegacyMetricName(metric);
  std::string text(bare ? metric : "");
  std::string inside;
  if (!metric.empty() && !bare) AppendQuoted(inside, metric);
  for (const LabelView& label : *this) {
    if (label.name == kMetricName) continue;
    if (!inside.empty()) inside += ", ";
    AppendLabelName(inside, label.name);
    inside += '=';
    AppendQuoted(inside, label.value);
  }
  if (bare && inside.empty()) return text;
  return text + '{' + inside + '}';
}

uint64_t LabelSet::Hash() const {
  // FNV-1a with a final mix: simple enough to stay the same forever.
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes_) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  hash ^= hash >> 32;
  hash *= 0xd6e8feb86659fd93;
  return hash ^ (hash >> 32);
}

std::strong_ordering operator<=>(const LabelSet& a, const LabelSet& b) {
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
}

LabelSetBuilder::LabelSetBuilder(const LabelSet& base) {
  for (const LabelView& label : base) labels_.emplace_back(label.name, label.value);
}

LabelSetBuilder& LabelSetBuilder::Set(std::string_view name, std::string_view value) {
  for (auto& [have, current] : labels_) {
    if (have == name) {
      current.assign(value);
      return *this;
    }
  }
  labels_.emplace_back(name, value);
  return *this;
}

std::string_view LabelSetBuilder::Get(std::string_view name) const {
  for (const auto& [have, value] : labels_) {
    if (have == name) return value;
  }
  return {};
}

LabelSet LabelSetBuilder::Build() const {
  std::vector<LabelView> views;
  views.reserve(labels_.size());
  for (const auto& [name, value] : labels_) views.push_back({name, value});
  return LabelSet::Of(std::move(views));
}

bool IsLegacyLabelName(std::string_view name) {
  if (name.empty()) return false;
  for (size_t i = 0; i < name.size(); ++i) {
    if (!IsNameByte(name[i], i == 0)) return false;
  }
  return true;
}

bool IsLegacyMetricName(std::string_view name) {
  if (name.empty()) return false;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] != ':' && !IsNameByte(name[i], i == 0)) return false;
  }
  return true;
}

bool IsValidUtf8(std::string_view text) {
  text.remove_prefix(AsciiLength(text));
  while (!text.empty()) {
    const size_t length = Utf8SequenceLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace lockstep
