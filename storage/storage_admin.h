// StorageAdmin: what operators do to a store beside writing to it and reading it.
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
  uint32_t number = 0;      // counts up in its folder
  int64_t time_ms = 0;      // when it began: every sample acknowledged by then is in it
  uint64_t byte_count = 0;  // of its files, those that it shares with other backups included
  uint32_t shard_count = 0;
};

// All methods are safe from any thread; they block, some for minutes, while the store is written and
// read. In a store that is open for reading only all fail with kPermissionDenied.
class StorageAdmin {
 public:
  virtual ~StorageAdmin() = default;

  // Adds a backup to those in `folder`, which is made if it is not there, and deletes the oldest
  // beyond `keep_count` (0: none). What did not change since the last backup is not copied again.
  // kFailedPrecondition if the folder is in use, or holds anything else.
  virtual absl::StatusOr<BackupSummary> Backup(const std::string& folder, size_t keep_count) = 0;

  // Makes a store of its own, DATA/snapshots/NAME, with every sample acknowledged before; returns NAME.
  // It shares files with the store as long as the store keeps them.
  virtual absl::StatusOr<std::string> Snapshot() = 0;

  // Deletes the samples in the range of every series that matches all of one of the matcher sets; a set
  // without matchers is matched by all series. Of what was acknowledged before nothing is left when this
  // returns, and series without samples are not known any more; of what is written meanwhile some may be
  // deleted; what is written later stays, at the same times too. After a failure some of it may be
  // deleted, and the same can be asked for again.
  virtual absl::Status DeleteSeries(std::span<const std::vector<Matcher>> matcher_sets,
                                    TimeRange range) = 0;

  // Gives the disk space of what was deleted back now instead of by and by; takes as long as reading and
  // writing all that is stored.
  virtual absl::Status CleanTombstones() = 0;
};

}  // namespace lockstep
