// StorageAdmin: what operators do to a store besides writing and reading.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "model/matcher.h"
#include "model/sample.h"

namespace lockstep {

// One backup of a store.
struct BackupSummary {
  uint32_t number = 0;      // ascends within its folder
  int64_t time_ms = 0;      // when it began: it includes every sample acknowledged by then
  uint64_t byte_count = 0;  // of its files, including those that it shares with other backups
  uint32_t shard_count = 0;
};

// All methods are safe from any thread; they block, some for minutes, while the store is written
// and read. In a read-only store all fail with kPermissionDenied.
class StorageAdmin {
 public:
  virtual ~StorageAdmin() = default;

  // Adds a backup to those in `folder`, which is created if it does not exist, and deletes the
  // oldest beyond `keep_count` (0: none). What did not change since the last backup is not copied
  // again. kFailedPrecondition if the folder is in use, or holds anything else.
  virtual absl::StatusOr<BackupSummary> Backup(const std::string& folder, size_t keep_count) = 0;

  // Creates a separate store, DATA/snapshots/NAME, with every sample acknowledged before; returns
  // NAME. The two share files as long as the store keeps them.
  virtual absl::StatusOr<std::string> Snapshot() = 0;

  // Deletes the samples in the range of every series that matches all matchers of one of the sets;
  // every series matches a set without matchers. When it returns, all such samples that were
  // acknowledged before the call are deleted, and series without samples are forgotten. Samples
  // written during the call may or may not be deleted; samples written later stay, also at the same
  // times. After a failure some samples may be deleted, and the same deletion can be requested
  // again.
  virtual absl::Status DeleteSeries(std::span<const std::vector<Matcher>> matcher_sets,
                                    TimeRange range) = 0;

  // Frees the disk space of deleted rows now instead of gradually; takes as long as reading and
  // writing everything stored.
  virtual absl::Status CleanTombstones() = 0;
};

}  // namespace lockstep
