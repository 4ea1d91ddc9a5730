#include "storage/chunk/ans_table.h"

#include <algorithm>
#include <bit>

namespace lockstep {
namespace {

// The bin of every state: each bin's states are spread over the whole table, since near the top of the
// table a state stands for a smaller share than near the bottom.
std::vector<uint8_t> SpreadBins(const BinSet& set) {
  const size_t state_count = size_t{1} << set.table_log;
  const size_t step = state_count / 2 + state_count / 8 + 3;
  static_assert(kMinTableLog >= 4, "smaller tables and the step have divisors in common");
  std::vector<uint8_t> bins(state_count);
  size_t at = 0;
  for (size_t bin = 0; bin < set.bins.size(); ++bin) {
    for (uint16_t left = set.bins[bin].weight; left > 0; --left) {
      bins[at] = static_cast<uint8_t>(bin);
      at = (at + step) & (state_count - 1);
    }
  }
  return bins;
}

}  // namespace

std::vector<AnsEntry> MakeAnsEntries(const BinSet& set) {
  const std::vector<uint8_t> bins = SpreadBins(set);
  std::vector<uint32_t> next(set.bins.size());
  for (size_t bin = 0; bin < next.size(); ++bin) next[bin] = set.bins[bin].weight;
  std::vector<AnsEntry> entries(bins.size());
  for (size_t state = 0; state < bins.size(); ++state) {
    const uint8_t bin = bins[state];
    // Counts from the bin's weight to twice of it less one; so many bits make it a state again.
    const uint32_t count = next[bin]++;
    const int state_bits = set.table_log + 1 - static_cast<int>(std::bit_width(count));
    AnsEntry& entry = entries[state];
    entry.next_base = static_cast<uint32_t>((count << state_bits) - bins.size());
    entry.state_bits = static_cast<uint8_t>(state_bits);
    entry.offset_bits = set.bins[bin].offset_bits;
    entry.bin = bin;
  }
  return entries;
}

AnsWriter::AnsWriter(const BinSet& set) : state_count_(uint32_t{1} << set.table_log) {
  uint32_t first_state = 0;
  for (const Bin& bin : set.bins) {
    // The most bits that a step of this bin gives, and the states below which it gives one fewer.
    const int weight_bits = std::max(1, static_cast<int>(std::bit_width(bin.weight - 1u)));
    const auto most = static_cast<uint32_t>(set.table_log + 1 - weight_bits);
    bins_.push_back({bin.weight, first_state, (most << 16) - (uint32_t{bin.weight} << most)});
    first_state += bin.weight;
  }
  states_.resize(state_count_);
  std::vector<uint32_t> filled(set.bins.size(), 0);
  const std::vector<uint8_t> bins = SpreadBins(set);
  for (size_t state = 0; state < bins.size(); ++state) {
    const uint8_t bin = bins[state];
    states_[bins_[bin].first_state + filled[bin]++] = static_cast<uint16_t>(state);
  }
}

}  // namespace lockstep
