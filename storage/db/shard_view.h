// ShardView: a shard as it was at one moment: its chunks by a snapshot, its heads by how many
// samples each series had. Safe from many threads; must not outlive the shard.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "storage/db/column_stack.h"
#include "storage/db/shard_state.h"
#include "storage/storage.h"

namespace lockstep {

// What is read from the heads at one go, about 0.1 ms of work.
inline constexpr size_t kReadAheadSamples = size_t{1} << 14;

// A series that a selection found.
struct SelectedSeries {
  LabelSet labels;
  SeriesId id = 0;
  SeriesPlace place;
};

// What the heads have of one series.
struct HeadSamples {
  ColumnStack samples;
  bool has_newest =
      false;  // they are the newest sample of the whole store, and no other was looked for
};

class ShardView {
 public:
  explicit ShardView(const ShardState& shard);

  // Series that may have samples in the selection's range, in no order.
  absl::StatusOr<std::vector<SelectedSeries>> Select(const Selection& selection) const;
  absl::StatusOr<std::vector<std::string>> LabelNames(const Selection& selection) const;
  absl::StatusOr<std::vector<std::string>> LabelValues(std::string_view name,
                                                       const Selection& selection) const;

  // Sets heads[i] to what the heads have of series ids[i] in the range, for as many of the first of them
  // as hold kReadAheadSamples together; returns how many these are, at least one. The writer waits
  // meanwhile, and while it works this does: so not for every series anew. Preconditions: there is an
  // id, there are at most Head::kMaxPrefetched, and as many heads.
  size_t ReadHeads(std::span<const SeriesId> ids, TimeRange range, SamplesNeeded needed,
                   std::span<HeadSamples> heads) const;

  const kv::Store& kv() const { return *shard_.kv; }
  const kv::SnapshotPtr& snapshot() const { return snapshot_; }
  // That have chunks in the range, ascending.
  std::vector<int32_t> WindowsIn(TimeRange range) const;
  // Whether the window has nothing but its cold run: then rollup rows say all that chunks say.
  bool IsAllCold(int32_t window) const;

 private:
  bool MayHaveSamples(SeriesId id, TimeRange range, bool has_windows) const;

  const ShardState& shard_;
  std::shared_ptr<const Head> frozen_;
  std::shared_ptr<const Head> active_;
  std::shared_ptr<const ArrivalCounts> active_counts_;
  std::vector<int32_t> windows_;
  std::vector<int32_t> cold_windows_;  // of them, those of a cold run alone
  kv::SnapshotPtr snapshot_;
};

}  // namespace lockstep
