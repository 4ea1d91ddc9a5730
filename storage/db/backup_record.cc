#include "storage/db/backup_record.h"

#include "absl/strings/str_format.h"
#include "storage/db/store_manifest.h"
#include "storage/db/text_line.h"

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
    return absl::DataLossError("it is no record of a lockstep backup");
  }
  if (format != kBackupFormat) {
    return absl::FailedPreconditionError(absl::StrFormat(
        "the backup has format %d, which lockstep %s and later read; this one reads format %d",
        format, reader, kBackupFormat));
  }
  BackupRecord record;
  if (!ConsumeNumber(text, kTime, record.summary.time_ms) ||
      !ConsumeNumber(text, kBytes, record.summary.byte_count) ||
      !ConsumeLine(text, kParts, parts) || !ReadParts(parts, record.parts)) {
    return absl::DataLossError("the record of the backup is malformed");
  }
  const size_t manifest_size = text.substr(0, text.size() - 1).find_last_of('\n') + 1;
  if (!IsChecksumOf(whole, text.substr(manifest_size))) {
    return absl::DataLossError("the record of the backup is damaged: its checksum is another");
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

}  // namespace lockstep
