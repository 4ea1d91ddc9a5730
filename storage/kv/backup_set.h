// BackupSet: backups of one Store in one folder. Table files that several backups share are stored
// once, so a backup costs what changed since the last one.
//
// Not thread-safe; only one BackupSet of a folder may exist at a time in all processes: the caller
// holds a FolderLock. The format on disk is that of RocksDB's BackupEngine; every file has a
// checksum.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "storage/kv/files/env.h"
#include "storage/kv/store.h"

namespace rocksdb {
class BackupEngine;
}

namespace lockstep::kv {

// Unique within a set; ascends.
using BackupId = uint32_t;

class BackupSet {
 public:
  // Creates the folder if it does not exist.
  static absl::StatusOr<std::unique_ptr<BackupSet>> Open(const std::string& folder,
                                                         std::shared_ptr<Env> env);
  ~BackupSet();
  BackupSet(const BackupSet&) = delete;
  BackupSet& operator=(const BackupSet&) = delete;

  // Copies the current content of the store, including every batch committed before. The store may
  // be read and written meanwhile.
  absl::StatusOr<BackupId> Add(Store& store);
  // Deletes all backups except these, and the remains of unfinished ones.
  absl::Status KeepOnly(std::span<const BackupId> ids);

  // Over all files of the backup, including those that it shares with others.
  absl::StatusOr<uint64_t> BytesOf(BackupId id) const;
  // Reads every file of the backup. kDataLoss if one has changed.
  absl::Status Verify(BackupId id) const;
  // Restores the backup as a store in `folder`. Precondition: the folder is empty or does not
  // exist.
  absl::Status Restore(BackupId id, const std::string& folder) const;

 private:
  BackupSet(std::shared_ptr<Env> env, rocksdb::BackupEngine* engine);

  const std::shared_ptr<Env> env_;
  const std::unique_ptr<rocksdb::BackupEngine> engine_;
};

}  // namespace lockstep::kv
