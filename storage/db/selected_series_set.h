// SelectedSeriesSet: the SeriesSet of a selection over shard views.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "storage/db/column_stack.h"
#include "storage/db/shard_view.h"
#include "storage/db/stored_block.h"
#include "storage/storage.h"

namespace lockstep {

// One selected series and where it is.
struct ShardSeries {
  SelectedSeries series;
  uint32_t shard = 0;  // into the views
  // What is older is not given out.
  int64_t oldest_ms = std::numeric_limits<int64_t>::min();
};

// A block of stored series is read from disk when the first of its selected series is, and kept
// until the last one was.
class SelectedSeriesSet : public SeriesSet {
 public:
  // `series` in the order in which it gives them. Views and budget (may be null) must outlive it.
  SelectedSeriesSet(std::span<const ShardView> views, std::vector<ShardSeries> series,
                    TimeRange range, QueryBudget* budget);

  bool Next() override;
  const LabelSet& labels() const override { return series_[at_].series.labels; }
  absl::Status Read(SampleColumns& columns) override;
  absl::Status status() const override { return status_; }

 private:
  using BlockKey = std::tuple<uint32_t, uint32_t, uint32_t>;  // shard, family, block
  struct SharedBlock {
    StoredBlock block;
    uint32_t series_left = 0;
    bool is_loaded = false;
  };

  static BlockKey KeyOf(const ShardSeries& series) {
    return {series.shard, series.series.place.family, series.series.place.block()};
  }
  // What the heads have of the current series; read with that of those that follow it.
  const SampleColumns& Heads();
  // Appends. Precondition: the series is in one of blocks_.
  absl::Status ReadStored(const ShardSeries& selected, TimeRange range, SampleColumns& columns);
  void DoneWith(const ShardSeries& series);

  const std::span<const ShardView> views_;
  const std::vector<ShardSeries> series_;
  const TimeRange range_;
  QueryBudget* const budget_;
  std::vector<std::vector<int32_t>> windows_;  // in the range, by shard
  std::map<BlockKey, SharedBlock> blocks_;
  size_t at_ = 0;
  bool begun_ = false;
  absl::Status status_;
  std::vector<ColumnStack> heads_;  // of the series from heads_begin_ on
  size_t heads_begin_ = 0;
  size_t heads_end_ = 0;
  SampleColumns stored_;
  SampleColumns scratch_;
};

}  // namespace lockstep
