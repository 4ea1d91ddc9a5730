// The key spaces of one shard. Each is a column family, so that each has its own write buffer,
// compression and lifetime, and one Batch writes to several of them atomically.
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
  kRollup,   // what cold chunks come to in every five minutes
};

inline constexpr size_t kSpaceCount = 6;
inline constexpr std::array<std::string_view, kSpaceCount> kSpaceNames = {
    "default", "series", "journal", "hot", "cold", "rollup"};

// Limits on what one row and one batch may hold. They keep the store movable to back ends that
// have such limits.
inline constexpr size_t kMaxKeyBytes = 256;
inline constexpr size_t kMaxValueBytes = size_t{1} << 20;
inline constexpr size_t kMaxBatchBytes = size_t{4} << 20;

}  // namespace lockstep::kv
