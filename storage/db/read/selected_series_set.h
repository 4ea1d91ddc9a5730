// SelectedSeriesSet: the SeriesSet of a selection over shard views.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <vector>

#include "storage/db/read/rolled_up_windows.h"
#include "storage/db/read/shard_view.h"
#include "storage/db/rows/block_rows.h"
#include "storage/db/rows/column_stack.h"
#include "storage/db/rows/decoded_block.h"
#include "storage/db/rows/stored_block.h"
#include "storage/query.h"

namespace lockstep {

// One selected series and its location.
struct ShardSeries {
  SelectedSeries series;
  uint32_t shard = 0;  // index into the views
  // Older samples are not returned.
  int64_t oldest_ms = std::numeric_limits<int64_t>::min();
  size_t position = 0;  // rank by labels among all series of the selection
};

// A block of stored series is read from disk when the first of its selected series is read, and
// kept until the last one was read: its samples if they are few enough, its rows otherwise. If its
// samples are kept, it is read together with the blocks of the next series, window by window:
// blocks of one window are neighbours on disk, and the tables of a row serve all its series. If a
// function needs only some samples of each bucket, rollup rows are read instead of chunk rows where
// possible.
class SelectedSeriesSet : public SeriesSet {
 public:
  // `series` are those that the selection found, or a part of them, in the order in which they are
  // returned. The views and the selection's budget must outlive it.
  SelectedSeriesSet(std::span<const ShardView> views, std::vector<ShardSeries> series,
                    const Selection& selection);

  size_t size() const override { return series_.size(); }
  size_t work() const override;
  std::vector<std::unique_ptr<SeriesSet>> Split(size_t max_parts) override;
  bool Next() override;
  size_t position() const override { return series_[at_].position; }
  const LabelSet& labels() const override { return series_[at_].series.labels; }
  absl::Status Read(SampleColumns& columns) override;
  absl::Status status() const override { return status_; }

 private:
  using BlockKey = std::tuple<uint32_t, uint32_t, uint32_t>;  // shard, family, block
  struct SharedBlock {
    SeriesPlace place;  // of one of its series
    RolledUpWindows rolled_up;
    // For windows without a rollup row; only one of the two is in use.
    StoredBlock stored;
    DecodedBlock decoded;
    uint32_t series_left = 0;
    bool is_loaded = false;
    bool is_decoded = false;
  };

  static BlockKey KeyOf(const ShardSeries& series) {
    return {series.shard, series.series.place.family, series.series.place.block()};
  }
  // The samples of the current series in the heads; read together with those of the next series.
  const HeadSamples& Heads();
  std::vector<size_t> Cuts() const;
  bool UsesRollups() const;
  // The most series whose samples are held decoded.
  size_t MostDecoded() const;
  void BeginToDecode(SharedBlock& shared);
  absl::Status Load(const ShardSeries& selected, SharedBlock& shared);
  // The block and others to be decoded with it, in the order of keys.
  std::vector<SharedBlock*> BlocksToDecode(uint32_t shard, SharedBlock& first);
  absl::Status Decode(uint32_t shard, std::span<const WindowToRead> windows,
                      std::span<SharedBlock* const> blocks);
  // These append to `columns` the samples of the series in the range, or in the window from min_ms
  // on; `heads` are its samples in the heads.
  absl::Status ReadWindow(const ShardSeries& selected, const SampleColumns& heads, int64_t min_ms,
                          RolledUpWindows::Window& window, SampleColumns& columns);
  absl::Status ReadShared(const ShardSeries& selected, const SampleColumns& heads,
                          SharedBlock& shared, TimeRange range, SampleColumns& columns);
  // `read_stored` appends those that are in chunks.
  absl::Status ReadAll(const SampleColumns& heads, absl::FunctionRef<absl::Status()> read_stored,
                       TimeRange range, SampleColumns& columns);
  void DoneWith(const ShardSeries& series);

  const std::span<const ShardView> views_;
  std::vector<ShardSeries> series_;  // constant once begun
  const TimeRange range_;
  QueryBudget* const budget_;
  const SamplesNeeded needed_;
  const StepTimes steps_;
  std::vector<std::vector<WindowToRead>> windows_;  // in the range, by shard
  std::deque<BlockRows> rows_;                      // by shard
  std::map<BlockKey, SharedBlock> blocks_;
  size_t decoded_count_ = 0;  // series of blocks that are decoded
  size_t at_ = 0;
  bool begun_ = false;
  absl::Status status_;
  std::vector<HeadSamples> heads_;  // of the series from index heads_begin_ on
  size_t heads_begin_ = 0;
  size_t heads_end_ = 0;
  ChunkRowReader row_;
  SampleColumns heads_part_;
  SampleColumns stored_;
  SampleColumns scratch_;
};

}  // namespace lockstep
