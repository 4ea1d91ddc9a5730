// SealedRanges: the time range of a series' samples in chunks, by window. It tells backfill that
// there is nothing to compare with, without reading samples. A cache of the rows' headers.
//
// Used only by the writer thread.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "model/sample.h"
#include "storage/db/series/dictionary.h"
#include "storage/db/state/shard_state.h"

namespace lockstep {

class SealedRanges {
 public:
  explicit SealedRanges(const ShardState& shard) : shard_(shard) {}

  // False only if no chunk holds a sample of the series at that time. True also if its block was
  // not loaded.
  bool MayHaveTime(SeriesPlace place, int64_t time_ms);
  // Reads the headers of the block's rows in the window of that time, unless they are cached.
  absl::Status Load(SeriesPlace place, int64_t time_ms);

 private:
  static constexpr TimeRange kNone{std::numeric_limits<int64_t>::max(),
                                   std::numeric_limits<int64_t>::min()};
  static constexpr size_t kMaxBlocks = 8192;  // 8 MiB

  struct BlockKey {
    int32_t window = 0;
    uint32_t family = 0;
    uint32_t block = 0;
    friend bool operator==(const BlockKey&, const BlockKey&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const BlockKey& key) {
      return H::combine(std::move(h), key.window, key.family, key.block);
    }
  };
  using Ranges = std::array<TimeRange, kSeriesPerBlock>;

  void ForgetIfStale();

  const ShardState& shard_;
  uint64_t seal_count_ = 0;  // seal_count when `blocks_` were read
  absl::flat_hash_map<BlockKey, std::unique_ptr<Ranges>> blocks_;
};

}  // namespace lockstep
