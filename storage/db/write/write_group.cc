#include "storage/db/write/write_group.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "storage/chunk/column_walk.h"
#include "storage/chunk/merge_columns.h"
#include "storage/db/rows/stored_block.h"
#include "storage/db/write/rejection.h"
#include "storage/kv/key_schema.h"

namespace lockstep {
namespace {

constexpr size_t kBlockBytes = size_t{256} << 10;
// The journal bytes of a float are a time, a value and a start; those of a histogram are a varint
// and a value for each of its numbers, plus a fixed part.
constexpr size_t kMaxFloatBytes = 10 + 1 + 8 + 10;
constexpr size_t kMaxHistogramBytes = kMaxHistogramNumbers * (1 + 8) + 128;
static_assert(kBlockBytes + kMaxSliceFloats * kMaxFloatBytes +
                  kMaxSliceHistograms * kMaxHistogramBytes <
              kv::kMaxValueBytes);
// With one more slice and one more dictionary row it still fits into a batch.
constexpr size_t kGroupBytes = size_t{2} << 20;

uint64_t NanosecondsSince(std::chrono::steady_clock::time_point start) {
  return static_cast<uint64_t>((std::chrono::steady_clock::now() - start).count());
}

}  // namespace

SliceCounts& SliceCounts::operator+=(const SliceCounts& more) {
  written += more.written;
  duplicate += more.duplicate;
  overwritten += more.overwritten;
  too_old += more.too_old;
  too_new += more.too_new;
  over_series_limit += more.over_series_limit;
  if (more.over_series_limit > 0) which_limit = more.which_limit;
  out_of_order += more.out_of_order;
  return *this;
}

absl::Status WriteGroup::Add(const LabelSet& labels, const SampleSlice& samples, TimeRange accepted,
                             SliceCounts& counts) {
  const std::span<const Sample> floats = samples.floats;
  if (floats.size() == 1 && samples.starts_ms.empty() && samples.histograms.empty() &&
      accepted.Contains(floats[0].timestamp_ms)) {
    const Dictionary::Staging staging = FindOrStage(labels);
    if (staging.answer != SeriesLimit::Answer::kTaken) {
      ++counts.over_series_limit;
      counts.which_limit = staging.answer;
      return absl::OkStatus();
    }
    WriterLock lock(shard_.mutex);
    OpenSlot(staging.id);
    if (AppendNewest(staging.id, floats[0])) {
      ++counts.written;
      return absl::OkStatus();
    }
  }
  SliceCounts slice;
  Sort(samples, accepted, slice);
  if (incoming_.size() > 0) {
    const Dictionary::Staging staging = FindOrStage(labels);
    if (staging.answer == SeriesLimit::Answer::kTaken) {
      {
        WriterLock lock(shard_.mutex);
        OpenSlot(staging.id);
      }
      LOCKSTEP_RETURN_IF_ERROR(AddIncoming(staging.id, slice));
    } else {
      slice.over_series_limit = incoming_.size();
      slice.which_limit = staging.answer;
    }
  }
  counts += slice;
  return absl::OkStatus();
}

// The head's cache lines are prefetched two steps ahead of the samples: first those of the series,
// which say where the lines of their samples are.
void WriteGroup::AddKnown(std::span<const KnownSample> samples, TimeRange accepted,
                          SliceCounts& counts, std::vector<KnownSample>& left) {
  constexpr size_t kSeriesAhead = 16;
  constexpr size_t kTailAhead = 8;
  WriterLock lock(shard_.mutex);
  const Head& head = *shard_.active;
  uint64_t written = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    if (i + kSeriesAhead < samples.size()) head.PrefetchSeries(samples[i + kSeriesAhead].series.id);
    if (i + kTailAhead < samples.size()) head.PrefetchTail(samples[i + kTailAhead].series.id);
    const auto& [series, sample, start_ms] = samples[i];
    if (!accepted.Contains(sample.timestamp_ms) || !OpenKnown(series.id)) {
      left.push_back(samples[i]);
    } else if (AppendNewest(series.id, sample, start_ms)) {
      ++written;
    } else if (start_ms == 0 && AppendLate(series.id, sample)) {
      ++written;
      ++counts.out_of_order;
    } else if (start_ms == 0 && left.empty() && head.IsLast(series.id, sample)) {
      // A sample that is left might have the same series and time, and comes first.
      ++counts.duplicate;
    } else {
      left.push_back(samples[i]);
    }
  }
  counts.written += written;
}

absl::Status WriteGroup::AddLeft(const KnownSample& known, TimeRange accepted,
                                 SliceCounts& counts) {
  const auto [id, time_ms] = std::pair(known.series.id, known.sample.timestamp_ms);
  {
    WriterLock lock(shard_.mutex);
    if (!OpenKnown(id)) {
      return absl::UnavailableError(
          "a series of the request was dropped in the meantime; send the request again");
    }
  }
  const bool may_be_late = known.start_timestamp_ms == 0 && accepted.Contains(time_ms);
  const std::optional<SeriesPlace> sealed = may_be_late ? PlaceIfSealed(id, time_ms) : std::nullopt;
  if (sealed.has_value()) {
    LOCKSTEP_RETURN_IF_ERROR(sealed_ranges_.Load(*sealed, time_ms));
    WriterLock lock(shard_.mutex);
    if (AppendLate(id, known.sample)) {
      ++counts.written;
      ++counts.out_of_order;
      return absl::OkStatus();
    }
  }
  SliceCounts slice;
  std::span<const int64_t> starts_ms;
  if (known.start_timestamp_ms != 0) starts_ms = {&known.start_timestamp_ms, 1};
  Sort({{&known.sample, 1}, starts_ms, {}}, accepted, slice);
  if (incoming_.size() > 0) LOCKSTEP_RETURN_IF_ERROR(AddIncoming(id, slice));
  counts += slice;
  if (incoming_.size() == 0) return absl::OkStatus();
  // This sample was appended, and the next ones may follow it.
  WriterLock lock(shard_.mutex);
  shard_.active->AnchorLateRun(id, time_ms);
  return absl::OkStatus();
}

// The case of nearly every write.
bool WriteGroup::AppendNewest(SeriesId id, Sample sample, int64_t start_ms) {
  if (!shard_.active->AppendNewest(id, sample, start_ms)) return false;
  Journal(id, sample, start_ms);
  return true;
}

void WriteGroup::Journal(SeriesId id, Sample sample, int64_t start_ms) {
  block_.Add(id, sample, start_ms);
  earliest_ms_ = std::min(earliest_ms_, sample.timestamp_ms);
  if (block_.byte_count() >= kBlockBytes) EndBlock();
}

// A late sample that certainly does not overwrite another.
bool WriteGroup::AppendLate(SeriesId id, Sample sample) {
  const int64_t time_ms = sample.timestamp_ms;
  if (shard_.frozen != nullptr && shard_.frozen->MayHaveTime(id, time_ms)) return false;
  if (time_ms <= SealedMaxMs(id) &&
      sealed_ranges_.MayHaveTime(shard_.dictionary.PlaceOf(id), time_ms)) {
    return false;
  }
  if (!shard_.active->AppendLate(id, sample)) return false;
  Journal(id, sample);
  return true;
}

int64_t WriteGroup::SealedMaxMs(SeriesId id) const {
  return shard_.dictionary.IsStaged(id) ? kNoTimeMs : shard_.dictionary.SealedMaxMs(id);
}

// The place of the series if chunks may hold a sample at that time or a later one.
std::optional<SeriesPlace> WriteGroup::PlaceIfSealed(SeriesId id, int64_t time_ms) const {
  const WriterReads reads(shard_);
  if (time_ms > SealedMaxMs(id)) return std::nullopt;
  return shard_.dictionary.PlaceOf(id);
}

// Returns false if the series no longer exists.
bool WriteGroup::OpenKnown(SeriesId id) {
  if (!shard_.active->IsOpen(id) && !shard_.dictionary.index().Contains(id)) return false;
  OpenSlot(id);
  return true;
}

void WriteGroup::OpenSlot(SeriesId id) {
  if (shard_.active->IsOpen(id)) return;
  int64_t latest_ms = SealedMaxMs(id);
  if (shard_.frozen != nullptr) latest_ms = std::max(latest_ms, shard_.frozen->LatestMs(id));
  shard_.active->Open(id, latest_ms);
}

// Puts into `incoming_` the samples inside `accepted`, the last one of each time.
void WriteGroup::Sort(const SampleSlice& samples, TimeRange accepted, SliceCounts& counts) {
  const MergeCounts merged =
      SortIntoColumns(samples.floats, samples.starts_ms, samples.histograms, incoming_);
  counts.duplicate = merged.duplicate_count;
  counts.overwritten = merged.overwritten_count;
  DropOutside(accepted, counts);
}

int64_t WriteGroup::LatestMs(SeriesId id) const {
  const WriterReads reads(shard_);
  return shard_.active->LatestMs(id);
}

absl::Status WriteGroup::AddIncoming(SeriesId id, SliceCounts& counts) {
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
  earliest_ms_ = std::min(earliest_ms_, TimeRangeOf(incoming_).min_ms);
  if (block_.byte_count() >= kBlockBytes) EndBlock();
  WriterLock lock(shard_.mutex);
  shard_.active->Append(id, incoming_);
  return absl::OkStatus();
}

Dictionary::Staging WriteGroup::FindOrStage(const LabelSet& labels) {
  using enum SeriesLimit::Answer;
  const SeriesKey key = SeriesKeyOf(labels);
  if (const std::optional<SeriesRef> known = shard_.directory->Find(key))
    return {kTaken, known->id};
  if (const auto staged = new_ids_.find(key); staged != new_ids_.end()) {
    return {kTaken, staged->second};
  }
  const WriterReads reads(shard_);
  const Dictionary::Staging staging = shard_.dictionary.StageNew(labels);
  if (staging.answer == kTaken) new_ids_.emplace(key, staging.id);
  return staging;
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

// Puts into `stored_` the samples of the series in chunks and heads.
absl::Status WriteGroup::ReadStored(SeriesId id, TimeRange range) {
  const WriterReads reads(shard_);
  stored_.Clear();
  if (!shard_.dictionary.IsStaged(id) && range.min_ms <= shard_.dictionary.SealedMaxMs(id)) {
    const SeriesPlace place = shard_.dictionary.PlaceOf(id);
    std::vector<WindowToRead> windows;
    for (const int32_t window : WindowsIn(shard_.windows, range)) windows.push_back({window});
    BlockRows rows(*shard_.kv, /*snapshot=*/nullptr);
    StoredBlock block;
    LOCKSTEP_RETURN_IF_ERROR(block.Load(rows, windows, place, range));
    part_.Clear();
    LOCKSTEP_RETURN_IF_ERROR(block.Read(place.index_in_block(), range, part_));
    stored_.Add(part_);
  }
  if (shard_.frozen != nullptr) {
    shard_.frozen->Read(id, range, part_);
    stored_.Add(part_);
  }
  shard_.active->Read(id, range, part_);
  stored_.Add(part_);
  return absl::OkStatus();
}

void WriteGroup::EndBlock() {
  if (block_.empty()) return;
  ended_block_bytes_ += block_.byte_count();
  ended_blocks_.push_back(block_.Finish());
}

bool WriteGroup::full() const {
  const WriterReads reads(shard_);
  return ended_block_bytes_ + block_.byte_count() + shard_.dictionary.staged_byte_count() >=
         kGroupBytes;
}

kv::Batch WriteGroup::MakeBatch() {
  const WriterReads reads(shard_);
  kv::Batch batch = shard_.kv->NewBatch();
  shard_.dictionary.PutStaged(batch);
  // Sequence numbers are never reused, even if this commit fails: a log whose end is in doubt may
  // still hold these blocks.
  for (const std::string& block : ended_blocks_) {
    batch.Put(kv::Space::kJournal, kv::EncodeJournalKey(shard_.next_sequence++), block);
  }
  return batch;
}

absl::Status WriteGroup::Commit() {
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
  {
    WriterLock lock(shard_.mutex);
    shard_.dictionary.CommitStaged();
    shard_.active->Commit();
    shard_.changes->Add(earliest_ms_);
  }
  CountHeads();
  std::vector<SeriesDirectory::Entry> entries;
  entries.reserve(new_ids_.size());
  for (const auto& [key, id] : new_ids_) entries.push_back({key, {shard_.number, id}});
  if (!entries.empty()) shard_.directory->Add(entries);
}

void WriteGroup::CountHeads() {
  const WriterReads reads(shard_);
  const uint64_t bytes =
      shard_.active->byte_count() + (shard_.frozen == nullptr ? 0 : shard_.frozen->byte_count());
  shard_.series_limit->ReplaceBytes(std::exchange(shard_.counted_head_bytes, bytes), bytes);
}

void WriteGroup::Reset() {
  const WriterReads reads(shard_);
  new_ids_.clear();
  shard_.dictionary.RollbackStaged();
  ended_blocks_.clear();
  ended_block_bytes_ = 0;
  earliest_ms_ = ChangeLog::kNever;
}

}  // namespace lockstep
