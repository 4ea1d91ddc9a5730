// The key spaces of one shard. Each is a column family with its own write buffer, compression and
// lifetime; one Batch writes to several of them atomically.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lockstep::kv {

enum class Space : uint8_t {
  kMeta,     // marks and window rows: few and small
  kSeries,   // the dictionary: series id -> labels
  kJournal,  // accepted samples that are not in chunks yet, one row per block
  kHot,      // chunks of windows that still change
  kCold,     // chunks of windows that ended, one run each
  kRollup,   // aggregates of cold chunks over every five minutes
};

inline constexpr size_t kSpaceCount = 6;
inline constexpr std::array<std::string_view, kSpaceCount> kSpaceNames = {
    "default", "series", "journal", "hot", "cold", "rollup"};

// Limits of one row and one batch. They allow a move of the store to back ends with such limits.
inline constexpr size_t kMaxKeyBytes = 256;
inline constexpr size_t kMaxValueBytes = size_t{1} << 20;
inline constexpr size_t kMaxBatchBytes = size_t{4} << 20;

}  // namespace lockstep::kv
