#include "storage/chunk/integers/ans_table.h"

#include <algorithm>
#include <array>
#include <bit>

namespace lockstep {
namespace {

// Calls put(state, bin) for every state, bin by bin. Each bin's states are spread over the whole
// table, because a state near the top of the table stands for a smaller share than one near the
// bottom.
template <typename Put>
void SpreadBins(const BinSet& set, Put&& put) {
  const size_t state_count = size_t{1} << set.table_log;
  const size_t step = state_count / 2 + state_count / 8 + 3;
  static_assert(kMinTableLog >= 4, "smaller tables and the step have divisors in common");
  size_t at = 0;
  for (size_t bin = 0; bin < set.bins.size(); ++bin) {
    for (uint16_t left = set.bins[bin].weight; left > 0; --left) {
      put(at, static_cast<uint8_t>(bin));
      at = (at + step) & (state_count - 1);
    }
  }
}

}  // namespace

void FillAnsEntries(const BinSet& set, std::vector<AnsEntry>& entries) {
  entries.resize(size_t{1} << set.table_log);
  SpreadBins(set, [&entries](size_t state, uint8_t bin) { entries[state].bin = bin; });
  // Counts, for each bin, from its weight to twice the weight minus one; the remaining bits turn
  // the count into a state again.
  std::array<uint32_t, kMaxBins> next;
  for (size_t bin = 0; bin < set.bins.size(); ++bin) next[bin] = set.bins[bin].weight;
  const auto state_count = static_cast<uint32_t>(entries.size());
  for (AnsEntry& entry : entries) {
    const uint32_t count = next[entry.bin]++;
    const int state_bits = set.table_log + 1 - static_cast<int>(std::bit_width(count));
    entry.next_base = (count << state_bits) - state_count;
    entry.state_bits = static_cast<uint8_t>(state_bits);
    entry.offset_bits = set.bins[entry.bin].offset_bits;
  }
}

AnsWriter::AnsWriter(const BinSet& set) : state_count_(uint32_t{1} << set.table_log) {
  uint32_t first_state = 0;
  for (const Bin& bin : set.bins) {
    // The most bits that a step of this bin emits, and the state below which it emits one fewer.
    const int weight_bits = std::max(1, static_cast<int>(std::bit_width(bin.weight - 1u)));
    const auto most = static_cast<uint32_t>(set.table_log + 1 - weight_bits);
    bins_.push_back({bin.weight, first_state, (most << 16) - (uint32_t{bin.weight} << most)});
    first_state += bin.weight;
  }
  states_.resize(state_count_);
  std::vector<uint32_t> filled(set.bins.size(), 0);
  std::vector<uint8_t> bins(state_count_);
  SpreadBins(set, [&bins](size_t state, uint8_t bin) { bins[state] = bin; });
  for (size_t state = 0; state < bins.size(); ++state) {
    const uint8_t bin = bins[state];
    states_[bins_[bin].first_state + filled[bin]++] = static_cast<uint16_t>(state);
  }
}

}  // namespace lockstep
