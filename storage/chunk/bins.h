// Bins: how integers of one kind are written in few bits. The range of the integers is cut into
// intervals, many where many integers lie; an integer is then the number of its bin, which an entropy
// coder makes short (ans_table.h), and its offset inside the bin, in as many bits as the bin is wide.
//
//   integers   . .  .:.::|:.:. . .      .         .
//   bins      [     ][  ][ ][   ][               ]
//
// A bin of one value takes no offset bits. Bins may be scaled: then they hold multiples of the set's
// unit alone, and lower bounds and offsets count in units. Scaled and plain bins may overlap: a rate in
// bytes may be whole but for a few samples.
//
// Source of the idea: Loncaric, "Pcodec: Better Compression for Numerical Sequences", 2025.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

inline constexpr size_t kMaxBins = 256;
// A bin's weight is its share of a table of 2^table_log states.
inline constexpr int kMinTableLog = 4;
inline constexpr int kMaxTableLog = 12;

struct Bin {
  int64_t lower = 0;  // in units if scaled
  uint8_t offset_bits = 0;
  uint16_t weight = 0;  // at least 1

  friend bool operator==(const Bin&, const Bin&) = default;
};

// On disk, numbers being varints and lists as in packed_integers.h:
//
//   +-------------+--------------+------+--------------+---------------+-------------+-----------+---------+
//   | plain count | scaled count | unit | plain lowers | scaled lowers | offset bits | table log | weights |
//   +-------------+--------------+------+--------------+---------------+-------------+-----------+---------+
//
// The unit is there if a bin is scaled, table log (a byte) and weights if there are two bins or more.
// Lowers ascend in each list: the first as zigzag, then differences.
struct BinSet {
  std::vector<Bin> bins;  // plain ones, then scaled ones; each ascending
  size_t plain_count = 0;
  uint64_t unit = 1;
  int table_log = 0;  // 0 for up to one bin, else kMinTableLog to kMaxTableLog; weights sum to 2^it

  friend bool operator==(const BinSet&, const BinSet&) = default;
};

void PutBinSet(std::string& out, const BinSet& set);
// Replaces `set`. False on anything malformed: a set that is read keeps every promise above.
[[nodiscard]] bool GetBinSet(std::string_view& in, BinSet& set);

// Divides without the processor's slow division.
class UnitDivider {
 public:
  // Precondition: 1 <= unit.
  explicit UnitDivider(uint64_t unit);
  // Nothing if the integer is no multiple of the unit.
  std::optional<int64_t> Divide(int64_t integer) const {
    const auto bits = static_cast<uint64_t>(integer);
    if ((bits & low_mask_) != 0) return std::nullopt;
    // An exact quotient is a product with the inverse modulo 2^64; any other integer leaves the range.
    const auto quotient = static_cast<int64_t>(static_cast<uint64_t>(integer >> shift_) * inverse_);
    if (quotient > limit_ || quotient < -limit_) return std::nullopt;
    return quotient;
  }

 private:
  int shift_ = 0;
  uint64_t low_mask_ = 0;
  uint64_t inverse_ = 1;
  int64_t limit_ = 0;
};

// Finds the bins of integers that a set was planned for.
class BinFinder {
 public:
  // `set` has a bin at least and must outlive the finder.
  explicit BinFinder(const BinSet& set);

  struct Place {
    uint8_t bin = 0;
    uint64_t offset = 0;
  };
  // Precondition: `integer` is one of those that the set was planned for.
  Place Find(int64_t integer) const;

 private:
  // The last bin from `first` on, before `end`, whose lower bound is not above.
  size_t LastNotAbove(size_t first, size_t end, int64_t integer) const;

  const BinSet& set_;
  const UnitDivider divider_;
};

}  // namespace lockstep
