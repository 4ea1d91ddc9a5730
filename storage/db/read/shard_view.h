// ShardView: a shard at one moment: its chunks through a snapshot, its heads through the number of
// samples that each series had. Safe from many threads; must not outlive the shard.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "storage/db/rows/block_rows.h"
#include "storage/db/rows/column_stack.h"
#include "storage/db/state/shard_state.h"
#include "storage/query.h"

namespace lockstep {

// How many samples are read from the heads at a time, about 0.1 ms of work.
inline constexpr size_t kReadAheadSamples = size_t{1} << 14;

// A series that a selection found.
struct SelectedSeries {
  LabelSet labels;
  SeriesId id = 0;
  SeriesPlace place;
};

// The samples of one series in the heads.
struct HeadSamples {
  ColumnStack samples;
  bool has_newest =
      false;  // they are the newest sample of the whole store, and no other was looked for
};

class ShardView {
 public:
  explicit ShardView(const ShardState& shard);

  // Series that may have samples in the selection's range, in any order.
  absl::StatusOr<std::vector<SelectedSeries>> Select(const Selection& selection) const;
  absl::StatusOr<std::vector<std::string>> LabelNames(const Selection& selection) const;
  absl::StatusOr<std::vector<std::string>> LabelValues(std::string_view name,
                                                       const Selection& selection) const;

  // Sets heads[i] to the samples of series ids[i] in the range, for the first series that together
  // hold kReadAheadSamples; returns how many series these are, at least one. This blocks the
  // writer, and the writer blocks it, so do not call it for each series separately. Preconditions:
  // there is at least one id and at most Head::kMaxPrefetched, and `heads` has the same size.
  size_t ReadHeads(std::span<const SeriesId> ids, TimeRange range, SamplesNeeded needed,
                   std::span<HeadSamples> heads) const;

  const kv::Store& kv() const { return *shard_.kv; }
  const kv::SnapshotPtr& snapshot() const { return snapshot_; }
  // The windows that have chunks in the range, ascending.
  std::vector<WindowToRead> WindowsIn(TimeRange range) const;

 private:
  bool MayHaveSamples(SeriesId id, TimeRange range, bool has_windows) const
      LOCKSTEP_REQUIRES_SHARED(shard_.mutex);

  const ShardState& shard_;
  std::shared_ptr<const Head> frozen_;
  std::shared_ptr<const Head> active_;
  std::shared_ptr<const ArrivalCounts> active_counts_;
  std::vector<WindowToRead> windows_;  // ascending
  kv::SnapshotPtr snapshot_;
};

}  // namespace lockstep
