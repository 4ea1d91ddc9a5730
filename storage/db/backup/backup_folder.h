// BackupFolder: the backups of a store, with all its shards, in one folder. On disk:
// docs/formats/backup.md.
//
//   FOLDER/backup-000007   the record of one backup, written when all its files are there
//   FOLDER/shard-000/      files of all backups of shard 0, shared files once (kv::BackupSet)
//   FOLDER/LOCK            held by whoever has the folder open
//
// A record is a text file that lists the parts of one backup and ends in its checksum. It is
// written last, so a backup without a record does not exist.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/kv/backup_set.h"
#include "storage/kv/files/env.h"
#include "storage/kv/files/folder_lock.h"
#include "storage/kv/store.h"
#include "storage/storage_admin.h"

namespace lockstep {

// The format of a record that this program reads and writes.
inline constexpr uint32_t kBackupFormat = 1;
inline constexpr std::string_view kBackupFormatReader = "0.1.0";

struct BackupRecord {
  BackupSummary summary;            // except its number, which is in the file's name
  std::vector<kv::BackupId> parts;  // by shard: the backup in its set
  std::string manifest;             // of the store at that time
};

std::string FormatBackupRecord(const BackupRecord& record);
// kDataLoss for input that FormatBackupRecord() does not write, kFailedPrecondition if this program
// does not read the format of the record or of the store.
absl::StatusOr<BackupRecord> ParseBackupRecord(std::string_view text);

// "backup-000007" and back; returns false for other names.
std::string BackupFileName(uint32_t number);
[[nodiscard]] bool ReadBackupFileName(std::string_view name, uint32_t& number);

// Not thread-safe. Only one BackupFolder of a folder can be open at a time, in all processes.
class BackupFolder {
 public:
  // kFailedPrecondition if the folder is in use, or contains files that are not part of a backup.
  static absl::StatusOr<std::unique_ptr<BackupFolder>> Open(std::string folder,
                                                            std::shared_ptr<kv::Env> env);

  // Ascending by number.
  absl::StatusOr<std::vector<BackupSummary>> List() const;
  // Adds a backup of these shards, which must be all shards of the store with this manifest. The
  // store may be written and read meanwhile.
  absl::StatusOr<BackupSummary> Add(std::span<kv::Store* const> shards, std::string manifest,
                                    int64_t now_ms);
  // Deletes all but the newest `count` backups, and the remains of unfinished ones.
  absl::Status KeepNewest(size_t count);
  // Verifies every file of the backup, then restores it as the store in `data_dir`. The manifest is
  // written last, so the remains of an interrupted restore cannot be opened. kFailedPrecondition if
  // `data_dir` is not empty, kNotFound if there is no such backup.
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

// See StorageAdmin::Backup(), for the store in `data_dir`, which no server may have open:
// kFailedPrecondition otherwise. Blocking; safe from any thread.
absl::StatusOr<BackupSummary> BackUpStoppedStore(const std::string& data_dir,
                                                 const std::string& folder, size_t keep_count,
                                                 int64_t now_ms, std::shared_ptr<kv::Env> env);

}  // namespace lockstep
