// SelectedSeriesSet: the SeriesSet of a selection over shard views.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "storage/db/column_stack.h"
#include "storage/db/rolled_up_windows.h"
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
  size_t position = 0;  // among all that the selection found, by labels
};

// A block of stored series is read from disk when the first of its selected series is, and kept
// until the last one was. If not all samples are needed, rollup rows are read instead of chunk rows where
// they can be, window by window.
class SelectedSeriesSet : public SeriesSet {
 public:
  // `series`, which the selection found or a part of them, in the order in which it gives them. Views and the selection's
  // budget must outlive it.
  SelectedSeriesSet(std::span<const ShardView> views, std::vector<ShardSeries> series,
                    const Selection& selection);

  size_t size() const override { return series_.size(); }
  std::vector<std::unique_ptr<SeriesSet>> Split(size_t max_parts) override;
  bool Next() override;
  size_t position() const override { return series_[at_].position; }
  const LabelSet& labels() const override { return series_[at_].series.labels; }
  absl::Status Read(SampleColumns& columns) override;
  absl::Status status() const override { return status_; }

 private:
  using BlockKey = std::tuple<uint32_t, uint32_t, uint32_t>;  // shard, family, block
  struct SharedBlock {
    RolledUpWindows rolled_up;
    StoredBlock block;  // of windows that are not
    uint32_t series_left = 0;
    bool is_loaded = false;
  };

  static BlockKey KeyOf(const ShardSeries& series) {
    return {series.shard, series.series.place.family, series.series.place.block()};
  }
  // What the heads have of the current series; read with that of those that follow it.
  const HeadSamples& Heads();
  absl::Status Load(const ShardSeries& selected, SharedBlock& shared) const;
  // These append to `columns` what the series has in the range, or in the window from min_ms on; `heads` is
  // what the heads have of it.
  absl::Status ReadWindow(const ShardSeries& selected, const SampleColumns& heads, int64_t min_ms,
                          RolledUpWindows::Window& window, SampleColumns& columns);
  absl::Status ReadAll(const ShardSeries& selected, const SampleColumns& heads, StoredBlock& block,
                       TimeRange range, SampleColumns& columns);
  void DoneWith(const ShardSeries& series);

  const std::span<const ShardView> views_;
  std::vector<ShardSeries> series_;  // does not change once begun
  const TimeRange range_;
  QueryBudget* const budget_;
  const SamplesNeeded needed_;
  std::vector<std::vector<int32_t>> windows_;  // in the range, by shard
  std::map<BlockKey, SharedBlock> blocks_;
  size_t at_ = 0;
  bool begun_ = false;
  absl::Status status_;
  std::vector<HeadSamples> heads_;  // of the series from heads_begin_ on
  size_t heads_begin_ = 0;
  size_t heads_end_ = 0;
  SampleColumns heads_part_;
  SampleColumns stored_;
  SampleColumns scratch_;
};

}  // namespace lockstep
