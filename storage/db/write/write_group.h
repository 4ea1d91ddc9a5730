// WriteGroup: the samples that become durable in one commit, from the first look at them to their
// publication. Only the shard's writer thread uses it; it is reused from commit to commit.
//
//   Add() ... Add()   new series get ids, samples are classified, accepted ones go to the head
//   AddKnown()        the same for samples of series that have ids: fast if they are the newest
//   Commit()          one synced batch of dictionary rows and journal blocks; then all are visible.
//                     If the disk refuses it, everything since the last Commit() is rolled back.
//
// Samples are appended to the head before they are durable, because later ones of the group must be
// compared with them, but readers see only committed arrivals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "model/sample.h"
#include "storage/db/head/journal_block.h"
#include "storage/db/rows/column_stack.h"
#include "storage/db/state/shard_state.h"
#include "storage/db/write/sealed_ranges.h"
#include "storage/write.h"

namespace lockstep {

// Larger slices are cut, so that a journal block never exceeds the maximum size of a value, nor a
// group that of a batch.
inline constexpr size_t kMaxSliceFloats = 4096;
inline constexpr size_t kMaxSliceHistograms = 6;

// Samples of one series of a write request, in memory owned by the caller.
struct SampleSlice {
  std::span<const Sample> floats;
  std::span<const int64_t> starts_ms;  // one for each of `floats`, or none
  std::span<const HistogramSample> histograms;

  bool empty() const { return floats.empty() && histograms.empty(); }

  // Takes a slice within the limits off the front. Histograms come after all floats: a histogram
  // wins over a float with the same time, because it is written later.
  SampleSlice TakeFirst() {
    const size_t float_count = std::min(floats.size(), kMaxSliceFloats);
    const size_t start_count = starts_ms.empty() ? 0 : float_count;
    const size_t histogram_count =
        float_count < floats.size() ? 0 : std::min(histograms.size(), kMaxSliceHistograms);
    const SampleSlice first{floats.first(float_count), starts_ms.first(start_count),
                            histograms.first(histogram_count)};
    *this = {floats.subspan(float_count), starts_ms.subspan(start_count),
             histograms.subspan(histogram_count)};
    return first;
  }
};

// The outcome for the samples of a slice. Every sample is counted in exactly one of the first six.
struct SliceCounts {
  uint64_t written = 0;
  uint64_t duplicate = 0;
  uint64_t overwritten = 0;
  uint64_t too_old = 0;
  uint64_t too_new = 0;
  uint64_t over_series_limit = 0;
  SeriesLimit::Answer which_limit = SeriesLimit::Answer::kTaken;  // if any exceed one
  uint64_t out_of_order = 0;  // accepted ones that are earlier than the newest sample of the series

  SliceCounts& operator+=(const SliceCounts& more);
};

class WriteGroup {
 public:
  explicit WriteGroup(ShardState& shard) : shard_(shard), sealed_ranges_(shard) {}

  // Samples outside `accepted` are rejected. Preconditions: the slice is within its limits, labels
  // and histograms are well-formed. Fails when stored samples cannot be read; then nothing of the
  // slice is kept.
  absl::Status Add(const LabelSet& labels, const SampleSlice& samples, TimeRange accepted,
                   SliceCounts& counts);

  // Adds the samples inside `accepted` whose times are obviously new: later than all others of
  // their series, or late ones in order of time in a gap. The rest is put into `left`, in the order
  // of arrival, for AddLeft(). Preconditions: `left` is empty; at most kMaxSliceFloats samples, all
  // of this shard.
  void AddKnown(std::span<const KnownSample> samples, TimeRange accepted, SliceCounts& counts,
                std::vector<KnownSample>& left);
  // Adds any sample of a series that has an id. kUnavailable if the series was dropped in the
  // meantime.
  absl::Status AddLeft(const KnownSample& sample, TimeRange accepted, SliceCounts& counts);

  // Whether to commit before adding more.
  bool full() const;
  // kUnavailable and other errors, as for kv::Store::Commit().
  absl::Status Commit();

 private:
  bool AppendNewest(SeriesId id, Sample sample, int64_t start_ms = 0)
      LOCKSTEP_REQUIRES(shard_.mutex);
  bool AppendLate(SeriesId id, Sample sample) LOCKSTEP_REQUIRES(shard_.mutex);
  void Journal(SeriesId id, Sample sample, int64_t start_ms = 0);
  int64_t SealedMaxMs(SeriesId id) const LOCKSTEP_REQUIRES_SHARED(shard_.mutex);
  std::optional<SeriesPlace> PlaceIfSealed(SeriesId id, int64_t time_ms) const;
  bool OpenKnown(SeriesId id) LOCKSTEP_REQUIRES(shard_.mutex);
  void OpenSlot(SeriesId id) LOCKSTEP_REQUIRES(shard_.mutex);
  void Sort(const SampleSlice& samples, TimeRange accepted, SliceCounts& counts);
  int64_t LatestMs(SeriesId id) const;
  absl::Status AddIncoming(SeriesId id, SliceCounts& counts);
  Dictionary::Staging FindOrStage(const LabelSet& labels);
  void DropOutside(TimeRange accepted, SliceCounts& counts);
  absl::Status DropDuplicates(SeriesId id, SliceCounts& counts);
  absl::Status ReadStored(SeriesId id, TimeRange range);
  void EndBlock();
  kv::Batch MakeBatch();
  void Publish();
  void CountHeads();
  void Reset();

  ShardState& shard_;

  // Series that are not in a dictionary row yet.
  absl::flat_hash_map<SeriesKey, SeriesId> new_ids_;

  SealedRanges sealed_ranges_;

  JournalBlockBuilder block_;
  std::vector<std::string> ended_blocks_;
  size_t ended_block_bytes_ = 0;  // before they were compressed: it bounds the time of a group too
  int64_t earliest_ms_ = ChangeLog::kNever;  // of everything added

  // Scratch.
  SampleColumns incoming_;
  SampleColumns kept_;
  SampleColumns part_;
  ColumnStack stored_;
};

}  // namespace lockstep
