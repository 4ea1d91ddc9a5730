#include "storage/db/backup_folder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "storage/db/store_layout.h"
#include "storage/kv/backup_set.h"

namespace lockstep {
namespace {

constexpr std::string_view kLockFile = "LOCK";
constexpr std::string_view kSetPrefix = "shard-";
// What Env::WriteFile() may leave when it is interrupted.
constexpr std::string_view kUnfinishedSuffix = ".new";

bool IsOurs(std::string_view name) {
  uint32_t number = 0;
  if (name.ends_with(kUnfinishedSuffix)) name.remove_suffix(kUnfinishedSuffix.size());
  return name == kLockFile || name.starts_with(kSetPrefix) || ReadBackupFileName(name, number);
}

}  // namespace

BackupFolder::BackupFolder(std::string folder, std::shared_ptr<kv::Env> env,
                           std::unique_ptr<kv::FolderLock> lock)
    : folder_(std::move(folder)), env_(std::move(env)), lock_(std::move(lock)) {}

absl::StatusOr<std::unique_ptr<BackupFolder>> BackupFolder::Open(std::string folder,
                                                                 std::shared_ptr<kv::Env> env) {
  LOCKSTEP_RETURN_IF_ERROR(env->CreateFolder(folder));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::string> names, env->ListFolder(folder));
  for (const std::string& name : names) {
    if (IsOurs(name)) continue;
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s holds \"%s\", which is no part of a backup: give backups a folder of their own", folder,
        name));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<kv::FolderLock> lock,
                            kv::FolderLock::Take(env, folder));
  return std::unique_ptr<BackupFolder>(
      new BackupFolder(std::move(folder), std::move(env), std::move(lock)));
}

std::string BackupFolder::SetFolder(size_t shard) const {
  return absl::StrFormat("%s/%s%03d", folder_, kSetPrefix, shard);
}

absl::StatusOr<std::vector<uint32_t>> BackupFolder::Numbers() const {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::string> names, env_->ListFolder(folder_));
  std::vector<uint32_t> numbers;
  uint32_t number = 0;
  for (const std::string& name : names) {
    if (ReadBackupFileName(name, number)) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

absl::StatusOr<BackupRecord> BackupFolder::ReadRecord(uint32_t number) const {
  const std::string path = folder_ + "/" + BackupFileName(number);
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string text, env_->ReadFile(path));
  absl::StatusOr<BackupRecord> record = ParseBackupRecord(text);
  if (!record.ok()) return Annotate(record.status(), path);
  record->summary.number = number;
  return record;
}

absl::StatusOr<std::vector<BackupRecord>> BackupFolder::ReadRecords() const {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<uint32_t> numbers, Numbers());
  std::vector<BackupRecord> records;
  for (const uint32_t number : numbers) {
    LOCKSTEP_ASSIGN_OR_RETURN(records.emplace_back(), ReadRecord(number));
  }
  return records;
}

absl::StatusOr<std::vector<BackupSummary>> BackupFolder::List() const {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<BackupRecord> records, ReadRecords());
  std::vector<BackupSummary> summaries;
  for (const BackupRecord& record : records) summaries.push_back(record.summary);
  return summaries;
}

absl::StatusOr<BackupSummary> BackupFolder::Add(std::span<kv::Store* const> shards,
                                                std::string manifest, int64_t now_ms) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<uint32_t> numbers, Numbers());
  BackupRecord record;
  record.summary.number = numbers.empty() ? 1 : numbers.back() + 1;
  record.summary.time_ms = now_ms;
  record.summary.shard_count = static_cast<uint32_t>(shards.size());
  record.manifest = std::move(manifest);
  for (size_t i = 0; i < shards.size(); ++i) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<kv::BackupSet> set,
                              kv::BackupSet::Open(SetFolder(i), env_));
    LOCKSTEP_ASSIGN_OR_RETURN(const kv::BackupId part, set->Add(*shards[i]));
    LOCKSTEP_ASSIGN_OR_RETURN(const uint64_t byte_count, set->BytesOf(part));
    record.parts.push_back(part);
    record.summary.byte_count += byte_count;
  }
  LOCKSTEP_RETURN_IF_ERROR(env_->WriteFile(folder_ + "/" + BackupFileName(record.summary.number),
                                           FormatBackupRecord(record)));
  return record.summary;
}

absl::Status BackupFolder::KeepNewest(size_t count) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<BackupRecord> records, ReadRecords());
  // First the records: a backup that lost some files must not look like one.
  for (; records.size() > count; records.erase(records.begin())) {
    LOCKSTEP_RETURN_IF_ERROR(
        env_->RemoveFile(folder_ + "/" + BackupFileName(records.front().summary.number)));
  }
  size_t set_count = 0;
  for (const BackupRecord& record : records) set_count = std::max(set_count, record.parts.size());
  for (size_t i = 0; i < set_count; ++i) {
    std::vector<kv::BackupId> kept;
    for (const BackupRecord& record : records) {
      if (i < record.parts.size()) kept.push_back(record.parts[i]);
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<kv::BackupSet> set,
                              kv::BackupSet::Open(SetFolder(i), env_));
    LOCKSTEP_RETURN_IF_ERROR(set->KeepOnly(kept));
  }
  return absl::OkStatus();
}

absl::Status BackupFolder::Restore(uint32_t number, const std::string& data_dir) const {
  LOCKSTEP_ASSIGN_OR_RETURN(const BackupRecord record, ReadRecord(number));
  LOCKSTEP_RETURN_IF_ERROR(env_->CreateFolder(data_dir));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::string> names, env_->ListFolder(data_dir));
  if (!names.empty()) {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s is not empty, it holds \"%s\": restore into a new folder, or move away "
                        "what is there",
                        data_dir, names.front()));
  }
  std::vector<std::unique_ptr<kv::BackupSet>> sets;
  for (size_t i = 0; i < record.parts.size(); ++i) {
    LOCKSTEP_ASSIGN_OR_RETURN(sets.emplace_back(), kv::BackupSet::Open(SetFolder(i), env_));
    LOCKSTEP_RETURN_IF_ERROR(Annotate(
        sets.back()->Verify(record.parts[i]),
        absl::StrFormat("backup %d is damaged, nothing was restored: shard %d", number, i)));
  }
  for (size_t i = 0; i < sets.size(); ++i) {
    LOCKSTEP_RETURN_IF_ERROR(sets[i]->Restore(record.parts[i], ShardFolder(data_dir, i)));
  }
  return env_->WriteFile(ManifestPath(data_dir), record.manifest);
}

}  // namespace lockstep
