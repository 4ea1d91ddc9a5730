// WriteGroup: the samples that become durable in one commit, from the first look at them to their
// publication. Only the shard's writer thread uses it; it is reused from commit to commit.
//
//   Add() ... Add()   new series get ids, samples are classed, accepted ones appended to the head
//   AddKnown()        the same for samples of series that have ids: fast if they are the newest
//   Commit()          one synced batch: dictionary rows and journal blocks; then all is visible.
//                     If the disk refuses, everything since the last Commit() is taken back.
//
// Samples are appended to the head before they are durable, because later ones of the group must be
// classed against them, but readers count only committed arrivals.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "storage/db/column_stack.h"
#include "storage/db/journal_block.h"
#include "storage/db/sample_slice.h"
#include "storage/db/sealed_ranges.h"
#include "storage/db/shard_state.h"
#include "storage/storage.h"

namespace lockstep {

// What became of the samples of a slice. Every sample is in exactly one of the first six.
struct SliceCounts {
  uint64_t written = 0;
  uint64_t duplicate = 0;
  uint64_t overwritten = 0;
  uint64_t too_old = 0;
  uint64_t too_new = 0;
  uint64_t over_series_limit = 0;
  SeriesLimit::Answer which_limit = SeriesLimit::Answer::kTaken;  // if any are over one
  uint64_t out_of_order = 0;  // of the accepted: earlier than the newest sample of the series

  SliceCounts& operator+=(const SliceCounts& more);
};

class WriteGroup {
 public:
  explicit WriteGroup(ShardState& shard) : shard_(shard), sealed_ranges_(shard) {}

  // Samples outside `accepted` are rejected. Preconditions: the slice is within its limits, labels and
  // histograms well-formed. Fails when stored samples cannot be read; nothing of the slice is kept then.
  absl::Status Add(const LabelSet& labels, const SampleSlice& samples, TimeRange accepted,
                   SliceCounts& counts);

  // Adds the samples inside `accepted` whose times are plainly new: later than all others of their
  // series, or late ones in order of time where there is nothing. The rest is
  // put into `left`, in the order of arrival: AddLeft() is for them. Preconditions: `left` is empty, at most
  // kMaxSliceFloats samples, all of this shard.
  void AddKnown(std::span<const KnownSample> samples, TimeRange accepted, SliceCounts& counts,
                std::vector<KnownSample>& left);
  // Any sample of a series that has an id. kUnavailable if the series was dropped meanwhile.
  absl::Status AddLeft(const KnownSample& sample, TimeRange accepted, SliceCounts& counts);

  // Whether it is time to commit before adding more.
  bool full() const;
  // kUnavailable and others as kv::Store::Commit() says.
  absl::Status Commit();

 private:
  bool AppendNewest(SeriesId id, Sample sample, int64_t start_ms = 0);
  bool AppendLate(SeriesId id, Sample sample);
  void Journal(SeriesId id, Sample sample, int64_t start_ms = 0);
  int64_t SealedMaxMs(SeriesId id) const;
  bool OpenKnown(SeriesId id);
  void OpenSlot(SeriesId id);
  void Sort(const SampleSlice& samples, TimeRange accepted, SliceCounts& counts);
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

  // Series that are in no dictionary row yet.
  absl::flat_hash_map<SeriesKey, SeriesId> new_ids_;

  SealedRanges sealed_ranges_;

  JournalBlockBuilder block_;
  std::vector<std::string> ended_blocks_;
  size_t ended_block_bytes_ = 0;
  int64_t earliest_ms_ = ChangeLog::kNever;  // of what was added

  // Scratch.
  SampleColumns incoming_;
  SampleColumns kept_;
  SampleColumns part_;
  ColumnStack stored_;
};

}  // namespace lockstep
