#include "ingest/symbol_table.h"

#include <algorithm>
#include <cstring>

#include "ingest/plain_series.h"

namespace lockstep {
namespace {

// So much is copied of every short label, whatever its length: a few moves instead of a loop.
constexpr size_t kShortBytes = 48;
constexpr size_t kMaxVarintBytes = 10;
constexpr size_t kMaxLabelBytes =
    3 * (1 + kMaxVarintBytes) + 2 * SymbolTable::kMaxWireTextBytes + kShortBytes;

char* CopyLabel(char* out, const char* label, size_t size) {
  if (size <= kShortBytes) {
    std::memcpy(out, label, kShortBytes);
  } else {
    std::memcpy(out, label, size);
  }
  return out + size;
}

char* CopyVarint(char* out, size_t value) {
  for (; value >= 0x80; value >>= 7) *out++ = static_cast<char>(value | 0x80);
  *out++ = static_cast<char>(value);
  return out;
}

size_t VarintBytes(size_t value) {
  size_t bytes = 1;
  for (; value >= 0x80; value >>= 7) ++bytes;
  return bytes;
}

size_t FieldBytes(std::string_view text) { return 1 + VarintBytes(text.size()) + text.size(); }

char* CopyField(char* out, uint8_t tag, std::string_view text) {
  *out++ = static_cast<char>(tag);
  out = CopyVarint(out, text.size());
  return std::copy(text.begin(), text.end(), out);
}

}  // namespace

void SymbolTable::Clear() {
  texts_.clear();
  metric_name_number_ = kNone;
  label_by_value_.clear();
  encoded_size_ = 0;
}

size_t SymbolTable::kept_bytes() const {
  return texts_.capacity() * sizeof(std::string_view) +
         label_by_value_.capacity() * sizeof(WireLabel) + encoded_.capacity() + wire_.capacity();
}

void SymbolTable::Add(std::string_view text) {
  if (text == kMetricName && metric_name_number_ == kNone) {
    metric_name_number_ = static_cast<uint32_t>(texts_.size());
  }
  texts_.push_back(text);
  label_by_value_.emplace_back();
}

std::optional<std::string_view> SymbolTable::Find(uint32_t number) const {
  if (number >= texts_.size()) return std::nullopt;
  return texts_[number];
}

bool SymbolTable::AreLabels(std::span<const uint32_t> references) const {
  return references.size() % 2 == 0 &&
         std::ranges::all_of(references, [this](uint32_t n) { return n < texts_.size(); });
}

void SymbolTable::AppendLabels(std::span<const uint32_t> references,
                               std::vector<LabelView>& labels) const {
  for (size_t i = 0; i < references.size(); i += 2) {
    labels.push_back({text(references[i]), text(references[i + 1])});
  }
}

std::optional<std::string_view> SymbolTable::WireLabels(std::span<const uint32_t> references) {
  if (references.size() % 2 != 0) return std::nullopt;
  // Local: what the table has would be read again behind every byte that is written.
  const size_t text_count = texts_.size();
  const WireLabel* const labels = label_by_value_.data();
  const char* encoded = encoded_.data();
  char* out = wire_.data();
  const char* end = out + wire_.size();
  for (size_t i = 0; i < references.size(); i += 2) {
    const uint32_t name = references[i], value = references[i + 1];
    if (name >= text_count || value >= text_count) return std::nullopt;
    const WireLabel& label = labels[value];
    if (label.name == name && static_cast<size_t>(end - out) >= label.size + kShortBytes) {
      out = CopyLabel(out, encoded + label.begin, label.size);
      continue;
    }
    out = PutRareLabel(name, value, out);
    if (out == nullptr) return std::nullopt;
    encoded = encoded_.data();
    end = wire_.data() + wire_.size();
  }
  return std::string_view(wire_.data(), out);
}

char* SymbolTable::PutRareLabel(uint32_t name, uint32_t value, char* out) {
  if (std::max(text(name).size(), text(value).size()) > kMaxWireTextBytes) return nullptr;
  if (label_by_value_[value].name == kNone) Learn(name, value);
  return PutLabel(name, value, MakeRoom(out, kMaxLabelBytes));
}

char* SymbolTable::PutLabel(uint32_t name, uint32_t value, char* out) const {
  *out++ = static_cast<char>(kLabelTag);
  out = CopyVarint(out, FieldBytes(text(name)) + FieldBytes(text(value)));
  out = CopyField(out, kLabelNameTag, text(name));
  return CopyField(out, kLabelValueTag, text(value));
}

void SymbolTable::Learn(uint32_t name, uint32_t value) {
  const size_t most = encoded_size_ + kMaxLabelBytes;
  if (encoded_.size() < most) encoded_.resize(2 * most);
  const char* const end = PutLabel(name, value, encoded_.data() + encoded_size_);
  const auto size = static_cast<size_t>(end - encoded_.data()) - encoded_size_;
  label_by_value_[value] = {name, static_cast<uint32_t>(size), encoded_size_};
  encoded_size_ += size;
}

char* SymbolTable::MakeRoom(char* out, size_t bytes) {
  const auto used = static_cast<size_t>(out - wire_.data());
  if (wire_.size() - used >= bytes) return out;
  wire_.resize(2 * (used + bytes));
  return wire_.data() + used;
}

std::optional<uint32_t> SymbolTable::MetricNameOf(std::span<const uint32_t> references) const {
  for (size_t i = 0; i < references.size(); i += 2) {
    if (references[i] == metric_name_number_) return references[i + 1];
  }
  return std::nullopt;
}

}  // namespace lockstep
