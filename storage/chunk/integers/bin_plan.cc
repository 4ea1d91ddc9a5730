#include "storage/chunk/integers/bin_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace lockstep {
namespace {

// The cost of one more bin in the set: a lower bound, a width and a weight.
constexpr double kBitsPerBin = 32;
// Bins are built from groups of neighbours with about equal counts; more groups than this only cost
// time.
constexpr size_t kGroupCount = 63;
static_assert(2 * (2 * kGroupCount + 1) <= kMaxBins);
// A second list of bins, for multiples of the unit, pays only if at least one in so many integers
// is a multiple.
constexpr size_t kIntegersPerMultiple = 8;
// A larger table of states (bins.h) is taken only if it saves so many bits for each state that it
// has more, because a reader has to fill it.
constexpr double kBitsPerState = 0.5;

// By table, because ChooseBins() asks it for many pairs of groups. Looks at the first 12 bits of
// `count` alone, which is enough to compare costs.
double Log2(size_t count) {
  constexpr size_t kTableSize = 4096;
  static const std::array<float, kTableSize> table = [] {
    std::array<float, kTableSize> logs{};
    for (size_t i = 1; i < kTableSize; ++i) logs[i] = std::log2(static_cast<float>(i));
    return logs;
  }();
  const int shift = std::max(0, static_cast<int>(std::bit_width(count)) - 12);
  return shift + static_cast<double>(table[count >> shift]);
}

// A radix sort on the distance to the smallest integer; most lists need two passes.
template <int kDigitBits>
void SortByDigits(std::vector<int64_t>& integers) {
  constexpr size_t kDigits = size_t{1} << kDigitBits;
  const auto [low, high] = std::minmax_element(integers.begin(), integers.end());
  const auto base = static_cast<uint64_t>(*low);
  const int width = std::bit_width(static_cast<uint64_t>(*high) - base);
  std::vector<int64_t> sorted(integers.size());
  for (int shift = 0; shift < width; shift += kDigitBits) {
    const auto digit = [base, shift](int64_t integer) {
      return ((static_cast<uint64_t>(integer) - base) >> shift) & (kDigits - 1);
    };
    std::array<uint32_t, kDigits> ends{};
    for (const int64_t integer : integers) ++ends[digit(integer)];
    uint32_t begin = 0;
    for (uint32_t& end : ends) begin += std::exchange(end, begin);
    for (const int64_t integer : integers) sorted[ends[digit(integer)]++] = integer;
    integers.swap(sorted);
  }
}

// Radix sort pays only for long lists.
void Sort(std::vector<int64_t>& integers) {
  if (integers.size() < 64) {
    std::sort(integers.begin(), integers.end());
  } else if (integers.size() < 1024) {
    SortByDigits<8>(integers);
  } else {
    SortByDigits<11>(integers);
  }
}

// The greatest common divisor of all integers; 1 if they are all equal, because then a unit saves
// nothing.
uint64_t CommonDivisor(const std::vector<int64_t>& integers) {
  if (std::adjacent_find(integers.begin(), integers.end(), std::not_equal_to<>()) ==
      integers.end()) {
    return 1;
  }
  uint64_t divisor = 0;
  UnitDivider divider(1);
  for (const int64_t integer : integers) {
    if (integer == 0 || (divisor != 0 && divider.Divide(integer))) continue;
    const auto bits = static_cast<uint64_t>(integer);
    divisor = std::gcd(divisor, integer < 0 ? 0 - bits : bits);
    if (divisor == 1) break;
    divider = UnitDivider(divisor);
  }
  return std::max<uint64_t>(divisor, 1);
}

// The integers by the list of bins that they get.
struct Split {
  uint64_t unit = 1;
  std::vector<int64_t> plain;
  std::vector<int64_t> scaled;  // in units
};

Split SplitByUnit(const std::vector<int64_t>& integers, uint64_t unit_hint) {
  Split split;
  split.unit = CommonDivisor(integers);
  if (split.unit == 1) split.unit = unit_hint;
  if (split.unit == 1) {
    split.plain = integers;
    return split;
  }
  const UnitDivider divider(split.unit);
  for (const int64_t integer : integers) {
    const std::optional<int64_t> units = divider.Divide(integer);
    (units ? split.scaled : split.plain).push_back(units.value_or(integer));
  }
  if (split.scaled.size() * kIntegersPerMultiple >= integers.size()) return split;
  return {1, integers, {}};
}

// Neighbours in the sorted list that are never split.
struct Group {
  int64_t first = 0;
  int64_t last = 0;
  size_t begin = 0;  // index into the list
  size_t end = 0;
};

// At most 2 * kGroupCount + 1 groups: at most kGroupCount are full, whether they hold one frequent
// integer or several, and one partial group can precede each frequent integer and end the list.
std::vector<Group> MakeGroups(const std::vector<int64_t>& sorted) {
  const size_t share = (sorted.size() + kGroupCount - 1) / kGroupCount;
  std::vector<Group> groups;
  bool may_grow = false;
  for (size_t begin = 0; begin < sorted.size();) {
    size_t end = begin + 1;
    while (end < sorted.size() && sorted[end] == sorted[begin]) ++end;
    const bool is_frequent = end - begin >= share;
    if (may_grow && !is_frequent) {
      groups.back().last = sorted[begin];
      groups.back().end = end;
    } else {
      groups.push_back({sorted[begin], sorted[begin], begin, end});
    }
    may_grow = groups.back().end - groups.back().begin < share;
    begin = end;
  }
  return groups;
}

// The cheapest way to merge groups into bins: dynamic programming over how many of the first groups
// are covered. `total_count` includes the integers of the other list, whose bins share the table.
// Appends the number of integers in each bin to `counts`, and adds the cost to `bit_count`.
std::vector<Bin> ChooseBins(const std::vector<int64_t>& sorted, size_t total_count,
                            std::vector<size_t>& counts, double& bit_count) {
  const std::vector<Group> groups = MakeGroups(sorted);
  const double total_log = Log2(total_count);
  std::vector<double> cost(groups.size() + 1, std::numeric_limits<double>::infinity());
  std::vector<size_t> from(groups.size() + 1, 0);
  cost[0] = 0;
  for (size_t end = 1; end <= groups.size(); ++end) {
    const Group& last = groups[end - 1];
    for (size_t begin = end; begin-- > 0;) {
      const size_t count = last.end - groups[begin].begin;
      const int width = std::bit_width(static_cast<uint64_t>(last.last) -
                                       static_cast<uint64_t>(groups[begin].first));
      const double in_one_bin =
          kBitsPerBin + static_cast<double>(count) * (total_log - Log2(count) + width);
      // From a width of two bits on, each further integer makes a bin dearer, so one that starts
      // even earlier costs more, too.
      if (width >= 2 && in_one_bin >= cost[end]) break;
      const double trial = cost[begin] + in_one_bin;
      if (trial >= cost[end]) continue;
      cost[end] = trial;
      from[end] = begin;
    }
  }
  std::vector<Bin> bins;
  for (size_t end = groups.size(); end > 0; end = from[end]) {
    const Group& first = groups[from[end]];
    const auto range =
        static_cast<uint64_t>(groups[end - 1].last) - static_cast<uint64_t>(first.first);
    bins.push_back({first.first, static_cast<uint8_t>(std::bit_width(range)), 0});
    counts.push_back(groups[end - 1].end - first.begin);
  }
  std::reverse(bins.begin(), bins.end());
  std::reverse(counts.end() - static_cast<ptrdiff_t>(bins.size()), counts.end());
  bit_count += cost.back();
  return bins;
}

// The bins' shares of 2^table_log states, which they fill exactly; each is at least 1.
std::vector<uint16_t> Weights(const std::vector<size_t>& counts, int table_log) {
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), size_t{0}));
  const int64_t state_count = int64_t{1} << table_log;
  std::vector<uint16_t> weights;
  int64_t left = state_count;
  for (const size_t count : counts) {
    const double share = static_cast<double>(count) / total * static_cast<double>(state_count);
    weights.push_back(static_cast<uint16_t>(std::max(1.0, std::nearbyint(share))));
    left -= weights.back();
  }
  // The largest share can best absorb the difference. If states are taken from it, then in small
  // steps: another share may be the largest afterwards.
  while (left != 0) {
    uint16_t& largest = *std::max_element(weights.begin(), weights.end());
    const int64_t step = left > 0 ? left : std::max<int64_t>(left, -(largest / 8 + 1));
    largest = static_cast<uint16_t>(largest + step);
    left -= step;
  }
  return weights;
}

double EntropyBits(const std::vector<size_t>& counts, const std::vector<uint16_t>& weights,
                   int table_log) {
  double bits = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    bits += static_cast<double>(counts[i]) * (table_log - Log2(weights[i]));
  }
  return bits;
}

void SetWeights(const std::vector<size_t>& counts, BinSet& set) {
  if (set.bins.size() == 1) set.bins[0].weight = 1;
  if (set.bins.size() <= 1) return;
  double least = std::numeric_limits<double>::infinity();
  // With fewer than two states per bin the shares are too coarse.
  const int smallest = std::max<int>(kMinTableLog, std::bit_width(set.bins.size()) + 1);
  for (int table_log = smallest; table_log <= kMaxTableLog; ++table_log) {
    const std::vector<uint16_t> weights = Weights(counts, table_log);
    const double cost = EntropyBits(counts, weights, table_log) +
                        kBitsPerState * static_cast<double>(size_t{1} << table_log);
    if (cost >= least) break;
    least = cost;
    set.table_log = table_log;
    for (size_t i = 0; i < weights.size(); ++i) set.bins[i].weight = weights[i];
  }
}

}  // namespace

BinPlan PlanBins(const std::vector<int64_t>& integers, uint64_t unit_hint) {
  BinPlan plan;
  if (integers.empty()) return plan;
  Split split = SplitByUnit(integers, unit_hint);
  Sort(split.plain);
  Sort(split.scaled);
  std::vector<size_t> counts;
  plan.set.bins = ChooseBins(split.plain, integers.size(), counts, plan.bit_count);
  plan.set.plain_count = plan.set.bins.size();
  const std::vector<Bin> scaled = ChooseBins(split.scaled, integers.size(), counts, plan.bit_count);
  plan.set.bins.insert(plan.set.bins.end(), scaled.begin(), scaled.end());
  plan.set.unit = scaled.empty() ? 1 : split.unit;
  LOCKSTEP_CHECK(plan.set.bins.size() <= kMaxBins);
  SetWeights(counts, plan.set);
  return plan;
}

}  // namespace lockstep
