// Store: the Storage that keeps samples in RocksDB. docs/adr/0004-store-journal-and-seal.md
// describes its design, docs/formats/ every byte that it writes.
//
// A store has one or more shards, each a RocksDB of its own under DATA/shard-NNN with one writer
// thread and one keeper thread (sealing and retention). It sends each series to its shard and
// merges the answers. The shard of a series never changes: the number of shards is fixed when the
// store is created.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "storage/db/retention/retention_rules.h"
#include "storage/kept_rows.h"
#include "storage/storage.h"
#include "storage/storage_admin.h"

namespace lockstep {

class ChangeLog;
class DiskBudget;
class RetentionClock;
class SeriesDirectory;
class SeriesLimit;
class Shard;

namespace kv {
class Env;
class Store;
}  // namespace kv

struct StoreOptions {
  std::string data_dir;
  // For a new store; an existing one keeps the number that it was created with. 0: one per four
  // cores.
  uint32_t shard_count = 0;
  // Opens an existing store as it is: nothing in the folder is changed, no sample is too old to be
  // read, and writes are refused with kPermissionDenied.
  bool read_only = false;
  // Older samples are refused, hidden and dropped.
  int64_t retention_ms = int64_t{15} * 24 * 60 * 60 * 1000;
  // Shorter retention for some series; the first rule that matches applies.
  std::vector<RetentionRule> retention_rules{};

  // Limit of the size on disk, excluding snapshots; while it is exceeded the oldest windows are
  // dropped. 0: no limit.
  uint64_t max_bytes = 0;

  SeriesLimits series{};

  // Limits of each shard's queue; requests beyond them are refused with kResourceExhausted. Writes
  // of up to 1 MiB have a byte limit of the same size for themselves, and do not wait for larger
  // ones.
  size_t max_queue_requests = 1024;
  size_t max_queue_bytes = size_t{64} << 20;

  // Memory for samples that are not sealed yet, over all shards; more if there are very many
  // series: 320 bytes for each that is written to. A shard seals when it has used its share. It
  // accepts no more writes if it has used its share again while a seal is still running.
  size_t head_bytes = size_t{96} << 20;
  // Samples are sealed at the latest this long after the first sample of their head arrived.
  int64_t head_age_ms = int64_t{2} * 60 * 60 * 1000;
  size_t block_cache_bytes = size_t{64} << 20;

  // How long Close() may take to seal what is in memory; 0: it leaves everything to the journal.
  std::chrono::milliseconds close_patience{8000};

  // Writes are refused with kUnavailable while the disk has less free space than this, so that
  // accepted samples can always be sealed.
  uint64_t min_free_bytes = uint64_t{64} << 20;

  Clock now_ms = SystemTimeMs;
  Clock monotonic_ms = BootTimeMs;
  std::shared_ptr<kv::Env> env;  // null: the operating system's files
};

class Store final : public Storage, public StorageAdmin, public KeptRows {
 public:
  // Without Close() it answers the queue with an error and leaves the state of a crash.
  ~Store() override;

  void Write(WriteRequest request, WriteCallback committed) override;
  void FindSeries(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const override;
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override;
  uint64_t change_count() const override;
  TimeRange UnchangedSince(uint64_t count) const override;
  // The earliest time of which retention keeps samples of such a series now.
  int64_t EarliestKeptMs(const LabelSet& series) const;
  StorageStats stats() const override;
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const override;

  absl::StatusOr<BackupSummary> Backup(const std::string& folder, size_t keep_count) override;
  absl::StatusOr<std::string> Snapshot() override;
  absl::Status DeleteSeries(std::span<const std::vector<Matcher>> matcher_sets,
                            TimeRange range) override;
  absl::Status CleanTombstones() override;

  absl::StatusOr<std::vector<KeptRow>> ReadKept(KeptKind kind) const override;
  absl::Status VisitKept(KeptKind kind, uint32_t first, uint32_t last, Visit visit) const override;
  absl::StatusOr<std::optional<std::string>> ReadKept(KeptKind kind,
                                                      uint32_t number) const override;
  absl::Status WriteKept(KeptKind kind, const std::vector<KeptRow>& rows) override;

  // Seals everything in memory. Returns when it is in chunks.
  absl::Status Seal();
  // Seals, and merges every window into one cold run now, as the keeper does with windows that have
  // ended. Deleted rows give their disk space back. Takes long; for tests and measurements.
  absl::Status Settle();
  // Drops what is older than the retention now, as the keeper does from time to time.
  absl::Status DropExpired();
  // How many series the store may have from now on.
  void SetSeriesLimits(SeriesLimits limits);
  // Drops the oldest windows while the store exceeds StoreOptions::max_bytes, as it does by itself
  // from time to time.
  absl::Status KeepWithinBudget();
  // Refuses new writes, answers queued ones, seals what is in memory, ends the threads and closes
  // the files: only chunks and the dictionary remain, and no log. What cannot be sealed, because
  // the disk is full or StoreOptions::close_patience is over, stays in the journal, and the log
  // says so. This is the last call; queriers must have been destroyed before.
  absl::Status Close();

 private:
  friend absl::StatusOr<std::unique_ptr<Store>> OpenStore(StoreOptions options);

  Store(StoreOptions options, RetentionRules retention, std::shared_ptr<RetentionClock> clock,
        std::shared_ptr<const SeriesDirectory> directory, std::shared_ptr<const ChangeLog> changes,
        std::shared_ptr<SeriesLimit> series_limit, std::vector<std::unique_ptr<Shard>> shards);
  absl::Status CheckWritable() const;
  // The store that has the kept rows.
  kv::Store& KeptStore() const;

  const StoreOptions options_;
  const RetentionRules retention_;
  const std::shared_ptr<RetentionClock> clock_;
  const std::shared_ptr<const SeriesDirectory> directory_;
  const std::shared_ptr<const ChangeLog> changes_;
  const std::shared_ptr<SeriesLimit> series_limit_;
  const std::vector<std::unique_ptr<Shard>> shards_;
  const std::unique_ptr<DiskBudget> budget_;  // destroyed first
};

// kInvalidArgument for invalid options, kDataLoss for damaged files.
absl::StatusOr<std::unique_ptr<Store>> OpenStore(StoreOptions options);

}  // namespace lockstep
