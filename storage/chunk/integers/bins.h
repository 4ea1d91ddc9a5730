// Bins encode integers of one kind in few bits. The range of the integers is cut into intervals,
// denser where there are more integers. An integer is written as the number of its bin, which an
// entropy coder makes short (ans_table.h), and its offset inside the bin, in as many bits as the
// bin is wide.
//
//   integers   . .  .:.::|:.:. . .      .         .
//   bins      [     ][  ][ ][   ][               ]
//
// A bin of one value takes no offset bits. Bins may be scaled: then they hold only multiples of the
// set's unit, and lower bounds and offsets are in units. Scaled and plain bins may overlap: a rate
// in bytes may be whole except for a few samples.
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

// On disk; numbers are varints, lists are in the format of packed_integers.h:
//
//   +-------+--------+------+--------+---------+-------------+-----------+---------+
//   | plain | scaled | unit | plain  | scaled  | offset bits | table log | weights |
//   | count | count  |      | lowers | lowers  |             |           |         |
//   +-------+--------+------+--------+---------+-------------+-----------+---------+
//
// The unit is present if a bin is scaled; table log (a byte) and weights are present if there are
// two bins or more. The lowers of each list ascend: the first is a zigzag varint, the others are
// differences.
struct BinSet {
  std::vector<Bin> bins;  // plain ones, then scaled ones, each list ascending
  size_t plain_count = 0;
  uint64_t unit = 1;
  // 0 for up to one bin, else kMinTableLog to kMaxTableLog; weights sum to 2^table_log.
  int table_log = 0;

  friend bool operator==(const BinSet&, const BinSet&) = default;
};

void PutBinSet(std::string& out, const BinSet& set);
// Replaces `set`. Returns false on malformed input; a set that was read keeps every promise above.
[[nodiscard]] bool GetBinSet(std::string_view& in, BinSet& set);

// Divides without the processor's slow division instruction.
class UnitDivider {
 public:
  // Precondition: 1 <= unit.
  explicit UnitDivider(uint64_t unit);
  // Returns nothing if the integer is not a multiple of the unit.
  std::optional<int64_t> Divide(int64_t integer) const {
    const auto bits = static_cast<uint64_t>(integer);
    if ((bits & low_mask_) != 0) return std::nullopt;
    // An exact quotient is a product with the inverse modulo 2^64; any other integer falls outside
    // the range.
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
  // `set` has at least one bin and must outlive the finder.
  explicit BinFinder(const BinSet& set);

  struct Place {
    uint8_t bin = 0;
    uint64_t offset = 0;
  };
  // Precondition: the set was planned for `integer`.
  Place Find(int64_t integer) const;

 private:
  // The last bin in [first, end) whose lower bound is not above `integer`.
  size_t LastNotAbove(size_t first, size_t end, int64_t integer) const;

  const BinSet& set_;
  const UnitDivider divider_;
};

}  // namespace lockstep
