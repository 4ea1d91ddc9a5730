// BackupFolder: the backups of a store in one folder: all shards of it together.
//
//   FOLDER/backup-000007   the record of one backup, written when all its files are there
//   FOLDER/shard-000/      the files of all backups of shard 0, what they share once (kv::BackupSet)
//   FOLDER/LOCK            held by whoever has the folder open
//
// One thread at a time; in one place at a time, in all processes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "storage/db/backup_record.h"
#include "storage/kv/env.h"
#include "storage/kv/folder_lock.h"
#include "storage/kv/store.h"
#include "storage/storage_admin.h"

namespace lockstep {

class BackupFolder {
 public:
  // kFailedPrecondition if the folder is in use, or holds what no backup is made of.
  static absl::StatusOr<std::unique_ptr<BackupFolder>> Open(std::string folder,
                                                            std::shared_ptr<kv::Env> env);

  // Ascending by number.
  absl::StatusOr<std::vector<BackupSummary>> List() const;
  // One more, of these shards, which are all that the store with this manifest has. They may be
  // written and read meanwhile.
  absl::StatusOr<BackupSummary> Add(std::span<kv::Store* const> shards, std::string manifest,
                                    int64_t now_ms);
  // Deletes all but the newest, and what backups that did not come to an end have left.
  absl::Status KeepNewest(size_t count);
  // Verifies every file of the backup, then makes `data_dir` the store that it is of. The manifest
  // comes last: what an interrupted restore leaves cannot be opened. kFailedPrecondition if `data_dir`
  // is not empty, kNotFound if there is no such backup.
  absl::Status Restore(uint32_t number, const std::string& data_dir) const;

 private:
  BackupFolder(std::string folder, std::shared_ptr<kv::Env> env,
               std::unique_ptr<kv::FolderLock> lock);
  std::string SetFolder(size_t shard) const;
  absl::StatusOr<std::vector<uint32_t>> Numbers() const;
  absl::StatusOr<BackupRecord> ReadRecord(uint32_t number) const;
  absl::StatusOr<std::vector<BackupRecord>> ReadRecords() const;

  const std::string folder_;
  const std::shared_ptr<kv::Env> env_;
  const std::unique_ptr<kv::FolderLock> lock_;
};

}  // namespace lockstep
