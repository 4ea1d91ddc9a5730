// BackupSet: backups of one Store in one folder. Table files that several backups have in common are
// there once, so a backup costs what changed since the last one.
//
// One thread at a time, and one BackupSet of a folder at a time in all processes: the caller holds a
// FolderLock. The form on disk is RocksDB's (its BackupEngine), every file with a checksum.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "storage/kv/env.h"
#include "storage/kv/store.h"

namespace rocksdb {
class BackupEngine;
}

namespace lockstep::kv {

// Of one set; counts up.
using BackupId = uint32_t;

class BackupSet {
 public:
  // Makes the folder if it is not there.
  static absl::StatusOr<std::unique_ptr<BackupSet>> Open(const std::string& folder,
                                                         std::shared_ptr<Env> env);
  ~BackupSet();
  BackupSet(const BackupSet&) = delete;
  BackupSet& operator=(const BackupSet&) = delete;

  // Copies what the store holds now, every batch included that was committed before. The store may be
  // read and written meanwhile.
  absl::StatusOr<BackupId> Add(Store& store);
  // Deletes all backups but these, what unfinished ones left too.
  absl::Status KeepOnly(std::span<const BackupId> ids);

  // Of all files of the backup, those that it shares with others included.
  absl::StatusOr<uint64_t> BytesOf(BackupId id) const;
  // Reads every file of the backup. kDataLoss if one is not what it was.
  absl::Status Verify(BackupId id) const;
  // Makes `folder` the store that the backup is of. Precondition: it is empty, or not there.
  absl::Status Restore(BackupId id, const std::string& folder) const;

 private:
  BackupSet(std::shared_ptr<Env> env, rocksdb::BackupEngine* engine);

  const std::shared_ptr<Env> env_;
  const std::unique_ptr<rocksdb::BackupEngine> engine_;
};

}  // namespace lockstep::kv
