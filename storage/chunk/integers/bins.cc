#include "storage/chunk/integers/bins.h"

#include <array>
#include <bit>
#include <limits>
#include <span>

#include "base/coding.h"
#include "storage/chunk/integers/packed_integers.h"

namespace lockstep {
namespace {

void PutLowers(std::string& out, const Bin* begin, const Bin* end) {
  for (const Bin* bin = begin; bin != end; ++bin) {
    if (bin == begin) {
      PutVarintSigned64(out, bin->lower);
    } else {
      PutVarint64(out, static_cast<uint64_t>(bin->lower) - static_cast<uint64_t>((bin - 1)->lower));
    }
  }
}

bool GetLowers(std::string_view& in, Bin* begin, Bin* end) {
  for (Bin* bin = begin; bin != end; ++bin) {
    if (bin == begin) {
      if (!GetVarintSigned64(in, bin->lower)) return false;
      continue;
    }
    uint64_t difference = 0;
    if (!GetVarint64(in, difference)) return false;
    const int64_t before = (bin - 1)->lower;
    bin->lower = static_cast<int64_t>(static_cast<uint64_t>(before) + difference);
    if (bin->lower <= before) return false;
  }
  return true;
}

bool GetCounts(std::string_view& in, BinSet& set) {
  uint64_t plain_count = 0, scaled_count = 0;
  if (!GetVarint64(in, plain_count) || !GetVarint64(in, scaled_count)) return false;
  if (plain_count > kMaxBins || scaled_count > kMaxBins - plain_count) return false;
  set.plain_count = plain_count;
  set.bins.assign(plain_count + scaled_count, Bin());
  set.unit = 1;
  if (scaled_count == 0) return true;
  return GetVarint64(in, set.unit) && set.unit >= 1;
}

bool GetWidths(std::string_view& in, std::vector<Bin>& bins) {
  std::array<int64_t, kMaxBins> widths;
  if (!GetPackedIntegers(in, std::span(widths).first(bins.size()))) return false;
  for (size_t i = 0; i < bins.size(); ++i) {
    if (widths[i] < 0 || widths[i] > 64) return false;
    bins[i].offset_bits = static_cast<uint8_t>(widths[i]);
  }
  return true;
}

bool GetWeights(std::string_view& in, BinSet& set) {
  set.table_log = 0;
  if (set.bins.size() == 1) set.bins[0].weight = 1;
  if (set.bins.size() <= 1) return true;
  if (in.empty()) return false;
  set.table_log = static_cast<unsigned char>(in.front());
  in.remove_prefix(1);
  if (set.table_log < kMinTableLog || set.table_log > kMaxTableLog) return false;
  const int64_t state_count = int64_t{1} << set.table_log;
  std::array<int64_t, kMaxBins> weights;
  if (!GetPackedIntegers(in, std::span(weights).first(set.bins.size()))) return false;
  int64_t sum = 0;
  for (size_t i = 0; i < set.bins.size(); ++i) {
    if (weights[i] < 1 || weights[i] > state_count) return false;
    set.bins[i].weight = static_cast<uint16_t>(weights[i]);
    sum += weights[i];
  }
  return sum == state_count;
}

}  // namespace

void PutBinSet(std::string& out, const BinSet& set) {
  const size_t scaled_count = set.bins.size() - set.plain_count;
  PutVarint64(out, set.plain_count);
  PutVarint64(out, scaled_count);
  if (scaled_count > 0) PutVarint64(out, set.unit);
  const Bin* const begin = set.bins.data();
  PutLowers(out, begin, begin + set.plain_count);
  PutLowers(out, begin + set.plain_count, begin + set.bins.size());
  std::vector<int64_t> widths, weights;
  for (const Bin& bin : set.bins) {
    widths.push_back(bin.offset_bits);
    weights.push_back(bin.weight);
  }
  PutPackedIntegers(out, widths);
  if (set.bins.size() <= 1) return;
  out.push_back(static_cast<char>(set.table_log));
  PutPackedIntegers(out, weights);
}

bool GetBinSet(std::string_view& in, BinSet& set) {
  if (!GetCounts(in, set)) return false;
  Bin* const begin = set.bins.data();
  return GetLowers(in, begin, begin + set.plain_count) &&
         GetLowers(in, begin + set.plain_count, begin + set.bins.size()) &&
         GetWidths(in, set.bins) && GetWeights(in, set);
}

UnitDivider::UnitDivider(uint64_t unit) : shift_(std::countr_zero(unit)) {
  low_mask_ = (uint64_t{1} << shift_) - 1;
  const uint64_t odd = unit >> shift_;
  // Newton's iteration doubles the number of correct bits; an odd number is its own inverse modulo
  // 8.
  inverse_ = odd;
  for (int right_bits = 3; right_bits < 64; right_bits *= 2) inverse_ *= 2 - odd * inverse_;
  limit_ = static_cast<int64_t>(static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) / unit);
}

BinFinder::BinFinder(const BinSet& set) : set_(set), divider_(set.unit) {}

size_t BinFinder::LastNotAbove(size_t first, size_t end, int64_t integer) const {
  size_t count = end - first;
  while (count > 1) {
    const size_t half = count / 2;
    first = set_.bins[first + half].lower <= integer ? first + half : first;
    count -= half;
  }
  return first;
}

BinFinder::Place BinFinder::Find(int64_t integer) const {
  size_t bin = 0;
  const size_t bin_count = set_.bins.size();
  const std::optional<int64_t> units =
      set_.plain_count < bin_count ? divider_.Divide(integer) : std::nullopt;
  if (units) {
    integer = *units;
    bin = LastNotAbove(set_.plain_count, bin_count, integer);
  } else {
    bin = LastNotAbove(0, set_.plain_count, integer);
  }
  return {static_cast<uint8_t>(bin),
          static_cast<uint64_t>(integer) - static_cast<uint64_t>(set_.bins[bin].lower)};
}

}  // namespace lockstep
