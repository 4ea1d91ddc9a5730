#include "storage/db/backup/backup_folder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "storage/db/layout/store_layout.h"
#include "storage/db/layout/text_line.h"
#include "storage/kv/backup_set.h"
#include "storage/kv/store.h"

namespace lockstep {
namespace {

constexpr std::string_view kRecordHeading = "lockstep backup";
constexpr std::string_view kTime = "time_ms";
constexpr std::string_view kBytes = "bytes";
constexpr std::string_view kParts = "parts";
constexpr std::string_view kFilePrefix = "backup-";

bool ReadParts(std::string_view text, std::vector<kv::BackupId>& parts) {
  while (true) {
    const size_t end = text.find(' ');
    if (!ReadNumber(text.substr(0, end), parts.emplace_back())) return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

constexpr std::string_view kLockFile = "LOCK";
constexpr std::string_view kSetPrefix = "shard-";
// Env::WriteFile() may leave a file with this suffix when it is interrupted.
constexpr std::string_view kUnfinishedSuffix = ".new";

bool IsOurs(std::string_view name) {
  uint32_t number = 0;
  if (name.ends_with(kUnfinishedSuffix)) name.remove_suffix(kUnfinishedSuffix.size());
  return name == kLockFile || name.starts_with(kSetPrefix) || ReadBackupFileName(name, number);
}

}  // namespace

std::string FormatBackupRecord(const BackupRecord& record) {
  std::string text =
      absl::StrFormat("%s %d\n%s %s\n%s %d\n%s %d\n%s", kRecordHeading, kBackupFormat, kReaderLine,
                      kBackupFormatReader, kTime, record.summary.time_ms, kBytes,
                      record.summary.byte_count, kParts);
  for (const kv::BackupId part : record.parts) absl::StrAppendFormat(&text, " %d", part);
  text += "\n" + record.manifest;
  return text + ChecksumLine(text);
}

absl::StatusOr<BackupRecord> ParseBackupRecord(std::string_view text) {
  const std::string_view whole = text;
  uint32_t format = 0;
  std::string_view reader, parts;
  if (!ConsumeNumber(text, kRecordHeading, format) || !ConsumeLine(text, kReaderLine, reader)) {
    return absl::DataLossError("not the record of a lockstep backup");
  }
  if (format != kBackupFormat) {
    return absl::FailedPreconditionError(
        absl::StrFormat("the backup has format %d, which lockstep %s and later can read; this "
                        "version reads format %d",
                        format, reader, kBackupFormat));
  }
  BackupRecord record;
  if (!ConsumeNumber(text, kTime, record.summary.time_ms) ||
      !ConsumeNumber(text, kBytes, record.summary.byte_count) ||
      !ConsumeLine(text, kParts, parts) || !ReadParts(parts, record.parts)) {
    return absl::DataLossError("the backup record is malformed");
  }
  const size_t manifest_size = text.substr(0, text.size() - 1).find_last_of('\n') + 1;
  if (!IsChecksumOf(whole, text.substr(manifest_size))) {
    return absl::DataLossError("the backup record is damaged: checksum mismatch");
  }
  text = text.substr(0, manifest_size);
  LOCKSTEP_ASSIGN_OR_RETURN(const StoreManifest manifest, ParseManifest(text));
  if (manifest.shard_count != record.parts.size()) {
    return absl::DataLossError(absl::StrFormat("the backup has %d parts for %d shards",
                                               record.parts.size(), manifest.shard_count));
  }
  record.summary.shard_count = manifest.shard_count;
  record.manifest = std::string(text);
  return record;
}

std::string BackupFileName(uint32_t number) {
  return absl::StrFormat("%s%06d", kFilePrefix, number);
}

bool ReadBackupFileName(std::string_view name, uint32_t& number) {
  return name.starts_with(kFilePrefix) && ReadNumber(name.substr(kFilePrefix.size()), number) &&
         BackupFileName(number) == name;
}

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
        "%s contains \"%s\", which is not part of a backup: use a folder for backups alone", folder,
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
  // Deletes the records first: a backup that lost some of its files must not look like one.
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
        absl::StrFormat("%s is not empty, it contains \"%s\": restore into a new folder, or move "
                        "the existing files away",
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

absl::StatusOr<BackupSummary> BackUpStoppedStore(const std::string& data_dir,
                                                 const std::string& folder, size_t keep_count,
                                                 int64_t now_ms, std::shared_ptr<kv::Env> env) {
  LOCKSTEP_ASSIGN_OR_RETURN(const StoreManifest manifest, ReadManifest(data_dir, *env));
  LOCKSTEP_ASSIGN_OR_RETURN(std::string manifest_text, env->ReadFile(ManifestPath(data_dir)));
  const auto resources = std::make_shared<const kv::Resources>(kv::ResourceLimits());
  std::vector<std::unique_ptr<kv::Store>> open;
  std::vector<kv::Store*> shards;
  for (uint32_t i = 0; i < manifest.shard_count; ++i) {
    LOCKSTEP_ASSIGN_OR_RETURN(open.emplace_back(),
                              kv::Store::Open(ShardFolder(data_dir, i), env, resources));
    shards.push_back(open.back().get());
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<BackupFolder> backups,
                            BackupFolder::Open(folder, env));
  LOCKSTEP_ASSIGN_OR_RETURN(const BackupSummary summary,
                            backups->Add(shards, std::move(manifest_text), now_ms));
  LOCKSTEP_RETURN_IF_ERROR(backups->KeepNewest(keep_count));
  return summary;
}

}  // namespace lockstep
