// StoreOperations: the StorageAdmin of a store that is open for writing.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "storage/db/shard.h"
#include "storage/db/store.h"
#include "storage/storage_admin.h"

namespace lockstep {

class StoreOperations : public StorageAdmin {
 public:
  // Both must outlive it.
  StoreOperations(const StoreOptions& options, const std::vector<std::unique_ptr<Shard>>& shards)
      : options_(options), shards_(shards) {}

  absl::StatusOr<BackupSummary> Backup(const std::string& folder, size_t keep_count) override;
  absl::StatusOr<std::string> Snapshot() override;
  absl::Status DeleteSeries(std::span<const std::vector<Matcher>> matcher_sets,
                            TimeRange range) override;
  absl::Status CleanTombstones() override;

 private:
  const StoreOptions& options_;
  const std::vector<std::unique_ptr<Shard>>& shards_;
};

}  // namespace lockstep
