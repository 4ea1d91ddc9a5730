// A backup record: FOLDER/backup-NNNNNN, a text file that says what one backup of a store is made of.
// It is written last, so a backup without one does not exist. It ends in its checksum. On disk: docs/formats/backup.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "storage/kv/backup_set.h"
#include "storage/storage_admin.h"

namespace lockstep {

// The formats of a record that this program reads, and writes.
inline constexpr uint32_t kBackupFormat = 1;
inline constexpr std::string_view kBackupFormatReader = "0.1.0";

struct BackupRecord {
  BackupSummary summary;            // but for its number, which is in the file's name
  std::vector<kv::BackupId> parts;  // of each shard, in its set
  std::string manifest;             // of the store, as it was
};

std::string FormatBackupRecord(const BackupRecord& record);
// kDataLoss for anything that FormatBackupRecord() does not write, kFailedPrecondition for a format
// that this program does not read, of the record or of the store.
absl::StatusOr<BackupRecord> ParseBackupRecord(std::string_view text);

// "backup-000007" and back; false for other names.
std::string BackupFileName(uint32_t number);
[[nodiscard]] bool ReadBackupFileName(std::string_view name, uint32_t& number);

}  // namespace lockstep
