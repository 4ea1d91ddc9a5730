#include "storage/db/store.h"

#include <algorithm>
#include <limits>
#include <random>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/log.h"
#include "base/utc_text.h"
#include "storage/db/backup/backup_folder.h"
#include "storage/db/disk_budget.h"
#include "storage/db/layout/slot.h"
#include "storage/db/layout/store_layout.h"
#include "storage/db/read/cardinality_walk.h"
#include "storage/db/read/store_querier.h"
#include "storage/db/shard.h"
#include "storage/kv/files/env.h"

namespace lockstep {
namespace {

constexpr uint64_t kHistogramBytes = 512;

size_t BytesOf(const SeriesWrite& write) {
  return sizeof(SeriesWrite) + write.labels.bytes().size() + write.samples.size() * sizeof(Sample) +
         write.start_timestamps_ms.size() * sizeof(int64_t) +
         write.histograms.size() * kHistogramBytes;
}

bool IsUsed(const QueuedWrite& part) { return !part.series.empty() || !part.known.empty(); }

// One part for each shard; parts without series are dropped later.
std::vector<QueuedWrite> Split(WriteRequest request, uint32_t shard_count) {
  std::vector<QueuedWrite> parts(shard_count);
  if (shard_count == 1) {
    for (const SeriesWrite& write : request.series) parts[0].byte_count += BytesOf(write);
    parts[0].byte_count += request.known.size() * sizeof(KnownSample);
    parts[0].series = std::move(request.series);
    parts[0].known = std::move(request.known);
    return parts;
  }
  for (const KnownSample& known : request.known) {
    LOCKSTEP_CHECK(known.series.shard < shard_count);
    parts[known.series.shard].known.push_back(known);
    parts[known.series.shard].byte_count += sizeof(KnownSample);
  }
  for (size_t i = 0; i < request.series.size(); ++i) {
    SeriesWrite& write = request.series[i];
    QueuedWrite& part = parts[ShardOfSlot(SlotOf(write.labels), shard_count)];
    part.byte_count += BytesOf(write);
    part.series_indices.push_back(i);
    part.series.push_back(std::move(write));
  }
  return parts;
}

absl::Status ReserveAll(const std::vector<std::unique_ptr<Shard>>& shards,
                        const std::vector<QueuedWrite>& parts) {
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!IsUsed(parts[i])) continue;
    const absl::Status status = shards[i]->writer().Reserve(parts[i].byte_count);
    if (status.ok()) continue;
    for (size_t j = 0; j < i; ++j) {
      if (IsUsed(parts[j])) shards[j]->writer().Unreserve(parts[j].byte_count);
    }
    return status;
  }
  return absl::OkStatus();
}

void AddTo(StorageStats& stats, const ShardCounters& counters) {
  stats.appended_samples += counters.appended_samples;
  stats.duplicate_samples += counters.duplicate_samples;
  stats.overwritten_samples += counters.overwritten_samples;
  stats.out_of_order_samples += counters.out_of_order_samples;
  stats.rejected_samples += counters.rejected_samples;
  stats.commit_count += counters.commit_count;
  stats.commit_bytes += counters.commit_bytes;
  stats.commit_seconds += static_cast<double>(counters.commit_nanoseconds) / 1e9;
  stats.sealed_chunks += counters.sealed_chunks;
  stats.sealed_bytes += counters.sealed_bytes;
  stats.merge_count += counters.merge_count;
  stats.merge_read_bytes += counters.merge_read_bytes;
  stats.merge_written_bytes += counters.merge_written_bytes;
  stats.merge_seconds += static_cast<double>(counters.merge_nanoseconds) / 1e9;
  stats.expired_samples += counters.expired_samples;
  stats.failed_writes += counters.failed_writes;
  stats.queue_depth += counters.queue_depth;
  stats.read_only = stats.read_only || counters.read_only;
}

void AddTo(StorageStats& stats, TimeRange& range, const ShardState& shard) {
  ReaderLock lock(shard.mutex);
  stats.series_count += shard.dictionary.index().series_count();
  stats.label_pair_count += shard.dictionary.index().label_pair_count();
  const auto widen = [&range](TimeRange more) {
    range.min_ms = std::min(range.min_ms, more.min_ms);
    range.max_ms = std::max(range.max_ms, more.max_ms);
  };
  for (const Head* head : {static_cast<const Head*>(shard.active.get()), shard.frozen.get()}) {
    if (head == nullptr || head->sample_count() == 0) continue;
    stats.head_series_count += head->slot_count();
    stats.head_sample_count += head->sample_count();
    widen(head->range());
  }
  for (const auto& [number, window] : shard.windows) {
    widen(window.totals().range);
    ++stats.window_count;
    stats.cold_window_count += window.hot.empty() ? 1 : 0;
    stats.run_count += window.run_count();
  }
}

// "20171210T211224Z-2be650b6d019eb54", as Prometheus names snapshots.
std::string SnapshotName(int64_t now_ms) {
  std::random_device random;
  const uint64_t suffix = uint64_t{random()} << 32 | random();
  return UtcText("%E4Y%m%dT%H%M%SZ", now_ms) + absl::StrFormat("-%016x", suffix);
}

}  // namespace

Store::Store(StoreOptions options, RetentionRules retention, std::shared_ptr<RetentionClock> clock,
             std::shared_ptr<const SeriesDirectory> directory,
             std::shared_ptr<const ChangeLog> changes, std::shared_ptr<SeriesLimit> series_limit,
             std::vector<std::unique_ptr<Shard>> shards)
    : options_(std::move(options)),
      retention_(std::move(retention)),
      clock_(std::move(clock)),
      directory_(std::move(directory)),
      changes_(std::move(changes)),
      series_limit_(std::move(series_limit)),
      shards_(std::move(shards)),
      budget_(std::make_unique<DiskBudget>(shards_, options_.max_bytes, BelievedTimeOf(clock_))) {
  if (!options_.read_only) budget_->Start();
}

Store::~Store() = default;

absl::Status Store::CheckWritable() const {
  if (!options_.read_only) return absl::OkStatus();
  return absl::PermissionDeniedError(
      "this server is read-only: it was started with storage.read-only");
}

void Store::Write(WriteRequest request, WriteCallback committed) {
  if (const absl::Status status = CheckWritable(); !status.ok()) {
    committed(status);
    return;
  }
  if (request.series.empty() && request.known.empty()) {
    committed(WriteOutcome());
    return;
  }
  std::vector<QueuedWrite> parts = Split(std::move(request), static_cast<uint32_t>(shards_.size()));
  const absl::Status reserved = ReserveAll(shards_, parts);
  if (!reserved.ok()) {
    committed(reserved);
    return;
  }
  const auto part_count = std::count_if(parts.begin(), parts.end(), IsUsed);
  const auto pending = std::make_shared<PendingWrite>(std::move(committed), part_count);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (!IsUsed(parts[i])) continue;
    parts[i].pending = pending;
    shards_[i]->writer().Enqueue(std::move(parts[i]));
  }
}

void Store::FindSeries(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const {
  directory_->FindAll(keys, refs);
}

absl::StatusOr<std::unique_ptr<Querier>> Store::NewQuerier() const {
  std::vector<ShardView> views;
  views.reserve(shards_.size());
  for (const std::unique_ptr<Shard>& shard : shards_) views.push_back(shard->View());
  const RetentionRules* const retention = options_.read_only ? nullptr : &retention_;
  return std::make_unique<StoreQuerier>(std::move(views), retention, clock_->Now().expiry_ms);
}

uint64_t Store::change_count() const { return changes_->count(); }

TimeRange Store::UnchangedSince(uint64_t count) const {
  const int64_t earliest_ms = changes_->EarliestSince(count);
  if (earliest_ms == std::numeric_limits<int64_t>::min()) return {0, -1};
  // Older samples become hidden as time passes, and visible again if the clock goes back.
  const int64_t oldest_ms = options_.read_only
                                ? std::numeric_limits<int64_t>::min()
                                : clock_->HighestExpiryMs() - retention_.ShortestKeepMs();
  return {oldest_ms, earliest_ms - 1};
}

int64_t Store::EarliestKeptMs(const LabelSet& series) const {
  if (options_.read_only) return std::numeric_limits<int64_t>::min();
  return clock_->Now().expiry_ms - retention_.KeepMs(series);
}

StorageStats Store::stats() const {
  StorageStats stats;
  TimeRange range{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  for (const std::unique_ptr<Shard>& shard : shards_) {
    AddTo(stats, shard->state().counters);
    AddTo(stats, range, shard->state());
  }
  if (range.min_ms <= range.max_ms) {
    stats.min_time_ms = range.min_ms;
    stats.max_time_ms = range.max_ms;
  }
  stats.read_only = stats.read_only || options_.read_only;
  const StoreTime time = clock_->Now();
  stats.clock_is_trusted = time.is_trusted;
  stats.clock_offset_seconds = static_cast<double>(time.wall_ms - time.believed_ms) / 1000;
  stats.max_series = series_limit_->limits().max_series;
  stats.disk_bytes = options_.env->FolderBytes(options_.data_dir).value_or(0);
  stats.used_bytes = budget_->UsedBytes().value_or(0);
  stats.max_bytes = options_.max_bytes;
  stats.budget_dropped_samples = budget_->dropped_samples();
  stats.shard_count = static_cast<uint32_t>(shards_.size());
  return stats;
}

absl::StatusOr<CardinalityStats> Store::Cardinality(const CardinalityQuery& query) const {
  CardinalityWalk walk(query, options_.now_ms());
  for (const std::unique_ptr<Shard>& shard : shards_) {
    LOCKSTEP_RETURN_IF_ERROR(walk.Add(shard->state()));
  }
  return walk.Take();
}

absl::StatusOr<BackupSummary> Store::Backup(const std::string& folder, size_t keep_count) {
  LOCKSTEP_RETURN_IF_ERROR(CheckWritable());
  std::vector<kv::Store*> stores;
  for (const std::unique_ptr<Shard>& shard : shards_) stores.push_back(shard->state().kv.get());
  LOCKSTEP_ASSIGN_OR_RETURN(std::string manifest,
                            options_.env->ReadFile(ManifestPath(options_.data_dir)));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<BackupFolder> backups,
                            BackupFolder::Open(folder, options_.env));
  LOCKSTEP_ASSIGN_OR_RETURN(const BackupSummary summary,
                            backups->Add(stores, std::move(manifest), options_.now_ms()));
  Log(LogLevel::kInfo, "made a backup",
      {{"folder", folder}, {"number", summary.number}, {"bytes", summary.byte_count}});
  LOCKSTEP_RETURN_IF_ERROR(Annotate(
      backups->KeepNewest(keep_count),
      absl::StrFormat("backup %d was made, but deleting older backups failed", summary.number)));
  return summary;
}

absl::StatusOr<std::string> Store::Snapshot() {
  LOCKSTEP_RETURN_IF_ERROR(CheckWritable());
  const std::string name = SnapshotName(options_.now_ms());
  const std::string folder = SnapshotFolder(options_.data_dir, name);
  LOCKSTEP_RETURN_IF_ERROR(options_.env->CreateFolder(folder));
  for (size_t i = 0; i < shards_.size(); ++i) {
    LOCKSTEP_RETURN_IF_ERROR(shards_[i]->state().kv->CopyTo(ShardFolder(folder, i)));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string manifest,
                            options_.env->ReadFile(ManifestPath(options_.data_dir)));
  // Written last: a folder without a manifest cannot be opened.
  LOCKSTEP_RETURN_IF_ERROR(options_.env->WriteFile(ManifestPath(folder), manifest));
  Log(LogLevel::kInfo, "made a snapshot", {{"folder", folder}});
  return name;
}

absl::Status Store::DeleteSeries(std::span<const std::vector<Matcher>> matcher_sets,
                                 TimeRange range) {
  LOCKSTEP_RETURN_IF_ERROR(CheckWritable());
  for (const std::unique_ptr<Shard>& shard : shards_) {
    LOCKSTEP_RETURN_IF_ERROR(
        Annotate(shard->keeper().Erase(matcher_sets, range),
                 "not everything was deleted; fix the cause, then send the same request again"));
  }
  return absl::OkStatus();
}

absl::Status Store::CleanTombstones() {
  LOCKSTEP_RETURN_IF_ERROR(CheckWritable());
  for (const std::unique_ptr<Shard>& shard : shards_) {
    LOCKSTEP_RETURN_IF_ERROR(shard->keeper().GiveSpaceBack());
  }
  return absl::OkStatus();
}

kv::Store& Store::KeptStore() const { return *shards_.front()->state().kv; }

absl::StatusOr<std::vector<KeptRow>> Store::ReadKept(KeptKind kind) const {
  std::vector<KeptRow> rows;
  LOCKSTEP_RETURN_IF_ERROR(
      VisitKept(kind, 0, UINT32_MAX, [&rows](uint32_t number, std::string_view bytes) {
        rows.push_back({number, std::string(bytes)});
        return absl::OkStatus();
      }));
  return rows;
}

absl::Status Store::VisitKept(KeptKind kind, uint32_t first, uint32_t last, Visit visit) const {
  const char tag = static_cast<char>(kind);
  kv::KeyRange range{kv::EncodeKeptKey(tag, first), kv::EncodeKeptKey(tag, last)};
  range.end += '\0';  // the key that follows the last one
  kv::Cursor at = KeptStore().NewCursor(kv::Space::kMeta, range);
  for (; at.Valid(); at.Next()) {
    uint32_t number = 0;
    if (!kv::DecodeKeptKey(at.key(), tag, number)) {
      return absl::DataLossError("a kept row has a malformed key");
    }
    LOCKSTEP_RETURN_IF_ERROR(visit(number, at.value()));
  }
  return at.status();
}

absl::StatusOr<std::optional<std::string>> Store::ReadKept(KeptKind kind, uint32_t number) const {
  return KeptStore().Get(kv::Space::kMeta, kv::EncodeKeptKey(static_cast<char>(kind), number));
}

absl::Status Store::WriteKept(KeptKind kind, const std::vector<KeptRow>& rows) {
  LOCKSTEP_RETURN_IF_ERROR(CheckWritable());
  for (const KeptRow& row : rows) {
    LOCKSTEP_CHECK(row.bytes.size() <= kMaxRowBytes);
    const std::string key = kv::EncodeKeptKey(static_cast<char>(kind), row.number);
    kv::Batch batch = KeptStore().NewBatch();
    if (row.bytes.empty()) {
      batch.Delete(kv::Space::kMeta, key);
    } else {
      batch.Put(kv::Space::kMeta, key, row.bytes);
    }
    LOCKSTEP_RETURN_IF_ERROR(KeptStore().Commit(batch, kv::Durability::kBuffered));
  }
  return absl::OkStatus();
}

absl::Status Store::Seal() {
  LOCKSTEP_RETURN_IF_ERROR(CheckWritable());
  for (const std::unique_ptr<Shard>& shard : shards_) {
    LOCKSTEP_RETURN_IF_ERROR(shard->keeper().Seal());
  }
  return absl::OkStatus();
}

absl::Status Store::Settle() {
  LOCKSTEP_RETURN_IF_ERROR(CheckWritable());
  for (const std::unique_ptr<Shard>& shard : shards_) {
    LOCKSTEP_RETURN_IF_ERROR(shard->keeper().Settle());
  }
  return absl::OkStatus();
}

absl::Status Store::DropExpired() {
  LOCKSTEP_RETURN_IF_ERROR(CheckWritable());
  for (const std::unique_ptr<Shard>& shard : shards_) {
    LOCKSTEP_RETURN_IF_ERROR(shard->keeper().DropExpired());
  }
  return absl::OkStatus();
}

void Store::SetSeriesLimits(SeriesLimits limits) { series_limit_->SetLimits(limits); }

absl::Status Store::KeepWithinBudget() {
  LOCKSTEP_RETURN_IF_ERROR(CheckWritable());
  return budget_->Keep();
}

// All shards seal at once, so that they share the same time limit.
absl::Status Store::Close() {
  budget_->Stop();
  for (const std::unique_ptr<Shard>& shard : shards_) shard->Finish(options_.close_patience);
  absl::Status first_error;
  for (const std::unique_ptr<Shard>& shard : shards_) {
    const absl::Status status = shard->Close();
    if (first_error.ok()) first_error = status;
  }
  return first_error;
}

}  // namespace lockstep
