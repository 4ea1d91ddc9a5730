#include "storage/db/write_group.h"

#include <algorithm>
#include <chrono>

#include "storage/chunk/merge_columns.h"
#include "storage/db/column_walk.h"
#include "storage/db/stored_block.h"
#include "storage/kv/key_schema.h"

namespace lockstep {
namespace {

constexpr size_t kBlockBytes = size_t{256} << 10;
// With one slice and one row of the dictionary on top it still fits in a batch.
constexpr size_t kGroupBytes = size_t{2} << 20;

uint64_t NanosecondsSince(std::chrono::steady_clock::time_point start) {
  return static_cast<uint64_t>((std::chrono::steady_clock::now() - start).count());
}

}  // namespace

absl::Status WriteGroup::Add(const LabelSet& labels, std::span<const Sample> samples,
                             std::span<const HistogramSample> histograms, TimeRange accepted,
                             SliceCounts& counts) {
  if (samples.size() == 1 && histograms.empty() && accepted.Contains(samples[0].timestamp_ms) &&
      AddNewest(labels, samples[0], counts)) {
    return absl::OkStatus();
  }
  SliceCounts slice;
  const MergeCounts merged = SortIntoColumns(samples, histograms, incoming_);
  slice.duplicate = merged.duplicate_count;
  slice.overwritten = merged.overwritten_count;
  DropOutside(accepted, slice);
  if (incoming_.size() > 0) LOCKSTEP_RETURN_IF_ERROR(AddIncoming(labels, slice));
  counts.written += slice.written;
  counts.duplicate += slice.duplicate;
  counts.overwritten += slice.overwritten;
  counts.too_old += slice.too_old;
  counts.too_new += slice.too_new;
  counts.out_of_order += slice.out_of_order;
  return absl::OkStatus();
}

// What nearly every write is: one float, later than all others of its series. False if it is not.
bool WriteGroup::AddNewest(const LabelSet& labels, Sample sample, SliceCounts& counts) {
  const SeriesId id = FindOrPrepare(labels);
  if (IsStaged(id)) AppendStaged();
  if (sample.timestamp_ms <= LatestMs(id)) return false;
  if (id >= staged_round_.size()) staged_round_.resize(size_t{id} + 1);
  staged_round_[id] = round_;
  staged_.push_back({id, sample});
  block_.Add(id, sample);
  if (block_.byte_count() >= kBlockBytes) EndBlock();
  ++counts.written;
  return true;
}

absl::Status WriteGroup::AddIncoming(const LabelSet& labels, SliceCounts& counts) {
  AppendStaged();
  const SeriesId id = FindOrPrepare(labels);
  const int64_t latest_ms = LatestMs(id);
  if (TimeRangeOf(incoming_).min_ms <= latest_ms) {
    LOCKSTEP_RETURN_IF_ERROR(DropDuplicates(id, counts));
  } else {
    counts.written += incoming_.size();
  }
  if (incoming_.size() == 0) return absl::OkStatus();
  for (ColumnWalk walk(incoming_); !walk.done() && walk.time_ms() < latest_ms; walk.Next()) {
    ++counts.out_of_order;
  }
  block_.Add(id, incoming_);
  if (block_.byte_count() >= kBlockBytes) EndBlock();
  WriterLock lock(shard_.mutex);
  shard_.active->Append(id, incoming_);
  return absl::OkStatus();
}

std::optional<SeriesId> WriteGroup::Find(const LabelSet& labels) const {
  if (const std::optional<SeriesId> id = shard_.dictionary.Find(labels)) return id;
  const auto found = new_ids_.find(labels);
  if (found == new_ids_.end()) return std::nullopt;
  return found->second;
}

SeriesId WriteGroup::FindOrPrepare(const LabelSet& labels) {
  if (const std::optional<SeriesId> id = Find(labels)) return *id;
  DictionaryRow row = shard_.dictionary.Prepare(labels);
  const SeriesId id = row.id;
  new_ids_.emplace(labels, id);
  new_row_bytes_ += labels.bytes().size() + kv::EncodeSeriesKey(id).size();
  new_rows_.push_back(std::move(row));
  return id;
}

int64_t WriteGroup::LatestMs(SeriesId id) const {
  int64_t latest_ms = shard_.active->MaxTimeOf(id);
  if (shard_.frozen != nullptr) latest_ms = std::max(latest_ms, shard_.frozen->MaxTimeOf(id));
  const bool is_new = !new_rows_.empty() && id >= new_rows_.front().id;
  return is_new ? latest_ms : std::max(latest_ms, shard_.dictionary.SealedMaxMs(id));
}

void WriteGroup::DropOutside(TimeRange accepted, SliceCounts& counts) {
  if (incoming_.size() == 0) return;
  const TimeRange range = TimeRangeOf(incoming_);
  if (accepted.Contains(range.min_ms) && accepted.Contains(range.max_ms)) return;
  for (ColumnWalk walk(incoming_); !walk.done(); walk.Next()) {
    counts.too_old += walk.time_ms() < accepted.min_ms ? 1 : 0;
    counts.too_new += walk.time_ms() > accepted.max_ms ? 1 : 0;
  }
  kept_.Clear();
  AppendInRange(incoming_, accepted, kept_);
  std::swap(incoming_, kept_);
}

// Counts what is left in `incoming_` as written or overwriting.
absl::Status WriteGroup::DropDuplicates(SeriesId id, SliceCounts& counts) {
  LOCKSTEP_RETURN_IF_ERROR(ReadStored(id, TimeRangeOf(incoming_)));
  kept_.Clear();
  ColumnWalk stored(stored_.columns());
  for (ColumnWalk walk(incoming_); !walk.done(); walk.Next()) {
    while (!stored.done() && stored.time_ms() < walk.time_ms()) stored.Next();
    const bool same_time = !stored.done() && stored.time_ms() == walk.time_ms();
    if (same_time && walk.SameValueAs(stored)) {
      ++counts.duplicate;
      continue;
    }
    ++(same_time ? counts.overwritten : counts.written);
    walk.CopyTo(kept_);
  }
  std::swap(incoming_, kept_);
  return absl::OkStatus();
}

// Into `stored_`: what chunks and heads have of the series.
absl::Status WriteGroup::ReadStored(SeriesId id, TimeRange range) {
  stored_.Clear();
  const bool is_new = !new_rows_.empty() && id >= new_rows_.front().id;
  if (!is_new && range.min_ms <= shard_.dictionary.SealedMaxMs(id)) {
    const SeriesPlace place = shard_.dictionary.PlaceOf(id);
    StoredBlock block;
    LOCKSTEP_RETURN_IF_ERROR(
        block.Load(*shard_.kv, nullptr, WindowsIn(shard_.windows, range), place, range));
    LOCKSTEP_RETURN_IF_ERROR(block.Read(place.index_in_block(), part_, stored_));
  }
  if (shard_.frozen != nullptr) {
    shard_.frozen->Read(id, range, part_);
    stored_.Add(part_);
  }
  shard_.active->Read(id, range, part_);
  stored_.Add(part_);
  return absl::OkStatus();
}

void WriteGroup::AppendStaged() {
  if (staged_.empty()) return;
  {
    WriterLock lock(shard_.mutex);
    for (const StagedFloat& staged : staged_) shard_.active->Append(staged.id, staged.sample);
  }
  staged_.clear();
  ++round_;
}

void WriteGroup::EndBlock() {
  if (block_.empty()) return;
  ended_blocks_.push_back(block_.Finish());
  ended_block_bytes_ += ended_blocks_.back().size();
}

bool WriteGroup::full() const {
  return ended_block_bytes_ + block_.byte_count() + new_row_bytes_ >= kGroupBytes;
}

kv::Batch WriteGroup::MakeBatch() {
  kv::Batch batch = shard_.kv->NewBatch();
  for (const DictionaryRow& row : new_rows_) {
    batch.Put(kv::Space::kSeries, kv::EncodeSeriesKey(row.id), EncodeDictionaryRow(row));
  }
  // Numbers are never used twice, even if this commit fails: a log whose end is in doubt may hold
  // these blocks still.
  for (const std::string& block : ended_blocks_) {
    batch.Put(kv::Space::kJournal, kv::EncodeJournalKey(shard_.next_sequence++), block);
  }
  return batch;
}

absl::Status WriteGroup::Commit() {
  AppendStaged();
  EndBlock();
  if (ended_blocks_.empty()) {
    Reset();
    return absl::OkStatus();
  }
  kv::Batch batch = MakeBatch();
  const auto start = std::chrono::steady_clock::now();
  const absl::Status status = shard_.kv->Commit(batch, kv::Durability::kSynced);
  shard_.counters.commit_nanoseconds += NanosecondsSince(start);
  ++shard_.counters.commit_count;
  if (status.ok()) {
    shard_.counters.commit_bytes += batch.byte_count();
    Publish();
  } else {
    WriterLock lock(shard_.mutex);
    shard_.active->Rollback();
  }
  Reset();
  return status;
}

void WriteGroup::Publish() {
  WriterLock lock(shard_.mutex);
  for (const DictionaryRow& row : new_rows_) shard_.dictionary.Add(row);
  shard_.active->Commit();
}

void WriteGroup::Reset() {
  new_ids_.clear();
  new_rows_.clear();
  new_row_bytes_ = 0;
  ended_blocks_.clear();
  ended_block_bytes_ = 0;
}

}  // namespace lockstep
