// ShardView: a shard as it was at one moment: its chunks by a snapshot, its heads by how many
// samples each series had. Safe from many threads; must not outlive the shard.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "storage/db/column_stack.h"
#include "storage/db/shard_state.h"
#include "storage/storage.h"

namespace lockstep {

// A series that a selection found.
struct SelectedSeries {
  LabelSet labels;
  SeriesId id = 0;
  SeriesPlace place;
};

class ShardView {
 public:
  explicit ShardView(const ShardState& shard);

  // Series that may have samples in the selection's range, in no order.
  absl::StatusOr<std::vector<SelectedSeries>> Select(const Selection& selection) const;
  absl::StatusOr<std::vector<std::string>> LabelNames(const Selection& selection) const;
  absl::StatusOr<std::vector<std::string>> LabelValues(std::string_view name,
                                                       const Selection& selection) const;

  // Adds what the heads have of the series in the range. `scratch` is reused memory.
  void ReadHeads(SeriesId id, TimeRange range, SampleColumns& scratch, ColumnStack& columns) const;

  const kv::Store& kv() const { return *shard_.kv; }
  const kv::SnapshotPtr& snapshot() const { return snapshot_; }
  // That have chunks in the range, ascending.
  std::vector<int32_t> WindowsIn(TimeRange range) const;

 private:
  bool MayHaveSamples(SeriesId id, TimeRange range, bool has_windows) const;

  const ShardState& shard_;
  std::shared_ptr<const Head> frozen_;
  std::shared_ptr<const Head> active_;
  std::shared_ptr<const ArrivalCounts> active_counts_;
  std::vector<int32_t> windows_;
  kv::SnapshotPtr snapshot_;
};

}  // namespace lockstep
