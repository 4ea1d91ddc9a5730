// ShardedStore: the Store over its shards: sends each series to its shard and puts answers together.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "storage/db/disk_budget.h"
#include "storage/db/shard.h"
#include "storage/db/store.h"
#include "storage/db/store_operations.h"

namespace lockstep {

class ShardedStore : public Store {
 public:
  ShardedStore(StoreOptions options, RetentionRules retention,
               std::shared_ptr<RetentionClock> clock,
               std::shared_ptr<const SeriesDirectory> directory,
               std::shared_ptr<const ChangeLog> changes, std::shared_ptr<SeriesLimit> series_limit,
               std::vector<std::unique_ptr<Shard>> shards);

  void Write(WriteRequest request, WriteCallback committed) override;
  void FindSeries(std::span<const SeriesKey> keys, std::span<SeriesRef> refs) const override {
    directory_->FindAll(keys, refs);
  }
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override;
  uint64_t change_count() const override { return changes_->count(); }
  TimeRange UnchangedSince(uint64_t count) const override;
  StorageStats stats() const override;
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const override;
  absl::StatusOr<BackupSummary> Backup(const std::string& folder, size_t keep_count) override {
    LOCKSTEP_RETURN_IF_ERROR(CheckWritable());
    return operations_.Backup(folder, keep_count);
  }
  absl::StatusOr<std::string> Snapshot() override {
    LOCKSTEP_RETURN_IF_ERROR(CheckWritable());
    return operations_.Snapshot();
  }
  absl::Status DeleteSeries(std::span<const std::vector<Matcher>> matcher_sets,
                            TimeRange range) override {
    LOCKSTEP_RETURN_IF_ERROR(CheckWritable());
    return operations_.DeleteSeries(matcher_sets, range);
  }
  absl::Status CleanTombstones() override {
    LOCKSTEP_RETURN_IF_ERROR(CheckWritable());
    return operations_.CleanTombstones();
  }
  absl::StatusOr<std::vector<KeptRow>> ReadKept(KeptKind kind) const override;
  absl::StatusOr<std::optional<std::string>> ReadKept(KeptKind kind,
                                                      uint32_t number) const override;
  absl::Status WriteKept(KeptKind kind, const std::vector<KeptRow>& rows) override;
  absl::Status Seal() override;
  absl::Status Settle() override;
  void SetSeriesLimits(SeriesLimits limits) override { series_limit_->SetLimits(limits); }
  absl::Status DropExpired() override;
  absl::Status KeepWithinBudget() override;
  absl::Status Close() override;

 private:
  absl::Status CheckWritable() const;
  // Where the kept rows are.
  kv::Store& KeptStore() const { return *shards_.front()->state().kv; }
  std::vector<QueuedWrite> Split(WriteRequest request) const;
  absl::Status ReserveAll(const std::vector<QueuedWrite>& parts);

  const StoreOptions options_;
  const RetentionRules retention_;
  const std::shared_ptr<RetentionClock> clock_;
  const std::shared_ptr<const SeriesDirectory> directory_;
  const std::shared_ptr<const ChangeLog> changes_;
  const std::shared_ptr<SeriesLimit> series_limit_;
  const std::vector<std::unique_ptr<Shard>> shards_;
  StoreOperations operations_{options_, shards_};
  DiskBudget budget_{shards_, options_.max_bytes, BelievedTimeOf(clock_)};  // the first to go
};

}  // namespace lockstep
