#include "storage/db/read/label_order.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "base/text/byte_scan.h"

namespace lockstep {
namespace {

// Sorts before every byte of a string; strings are escaped to ensure that.
constexpr char kEnd = '\0';
constexpr char kEscape = '\1';

void AppendText(std::string_view text, std::string& out) {
  const auto any_is_special = [](uint64_t word) { return BytesBelow(word, kEscape + 1); };
  const auto is_special = [](char c) { return c == kEnd || c == kEscape; };
  const size_t plain = LengthWithout(text, any_is_special, is_special);
  out += text.substr(0, plain);
  for (const char c : text.substr(plain)) {
    if (is_special(c)) out += kEscape;
    out += is_special(c) ? static_cast<char>(c + 1) : c;
  }
  out += kEnd;
}

}  // namespace

void AppendOrderKey(const LabelSet& labels, std::string& out) {
  for (const LabelView& label : labels) {
    AppendText(label.name, out);
    AppendText(label.value, out);
  }
}

std::vector<uint32_t> OrderByLabels(std::span<const LabelSet* const> sets) {
  std::string keys;
  std::vector<size_t> ends;
  for (const LabelSet* set : sets) {
    AppendOrderKey(*set, keys);
    ends.push_back(keys.size());
  }
  const auto key_of = [&](uint32_t i) {
    const size_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(keys).substr(begin, ends[i] - begin);
  };
  std::vector<uint32_t> order(sets.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return key_of(a) < key_of(b); });
  return order;
}

}  // namespace lockstep
