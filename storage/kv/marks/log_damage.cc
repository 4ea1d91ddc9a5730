#include "storage/kv/marks/log_damage.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/crc32c.h"
#include "base/log.h"
#include "rocksdb/env.h"
#include "storage/kv/files/rocks_status.h"

namespace lockstep::kv {
namespace {

constexpr size_t kBlockBytes = size_t{32} << 10;
constexpr size_t kHeaderBytes = 7;
constexpr size_t kTypeOffset = 6;
// A batch is | sequence u64 | number of changes u32 | changes |.
constexpr size_t kBatchHeaderBytes = 12;
constexpr size_t kChangeCountOffset = 8;
constexpr uint8_t kWholeRecord = 1;
constexpr uint8_t kFirstPiece = 2;
constexpr uint8_t kMiddlePiece = 3;
constexpr uint8_t kLastPiece = 4;

// RocksDB masks stored checksums, because the checksum of bytes that contain checksums is
// problematic.
uint32_t Masked(uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8u; }

uint32_t ReadLittleEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
  return value;
}

// The size of the complete record or piece at the start of the bytes; 0 if there is none.
size_t RecordBytes(std::string_view bytes) {
  const size_t size = kHeaderBytes + ReadLittleEndian(bytes.substr(4, 2));
  const auto type = static_cast<uint8_t>(bytes[kTypeOffset]);
  if (size > bytes.size() || type < kWholeRecord || type > kLastPiece) return 0;
  const uint32_t crc = Crc32c(bytes.substr(kTypeOffset, size - kTypeOffset));
  return Masked(crc) == ReadLittleEndian(bytes.substr(0, 4)) ? size : 0;
}

bool IsBatchWithoutChanges(std::string_view record) {
  if (record[kTypeOffset] != kWholeRecord) return false;
  const std::string_view batch = record.substr(kHeaderBytes);
  return batch.size() == kBatchHeaderBytes &&
         ReadLittleEndian(batch.substr(kChangeCountOffset)) == 0;
}

// The names of the logs in the folder, which may not exist, oldest first.
absl::StatusOr<std::vector<std::string>> ListLogs(const Env& env, const std::string& folder) {
  std::vector<std::string> names;
  const rocksdb::Status listed = env.rocks()->GetChildren(folder, &names);
  if (listed.IsPathNotFound() || listed.IsNotFound()) return names;
  LOCKSTEP_RETURN_IF_ERROR(Annotate(FromRocks(listed), "listing " + folder));
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(".log"); });
  // Numbers have six digits or more, so the shorter of two names is the older.
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return names;
}

absl::Status NotWhole(const std::string& folder, const std::string& name, const std::string& what,
                      uint64_t synced_bytes) {
  return absl::DataLossError(
      absl::StrFormat("%s: the write-ahead log %s %s, but %d bytes of it held acknowledged writes: "
                      "put the file back, or restore the store from a backup; to open the store "
                      "without those writes, delete %s beside the log",
                      folder, name, what, synced_bytes, kLogMarkFile));
}

uint64_t SyncedBytesOf(const std::string& name, std::span<const SyncedLog> synced) {
  for (const SyncedLog& log : synced) {
    if (name == LogName(log.number)) return log.byte_count;
  }
  return 0;
}

absl::Status CheckLog(const Env& env, const std::string& folder, const std::string& name,
                      uint64_t synced_bytes) {
  const std::string path = folder + "/" + name;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string log, env.ReadFile(path));
  LogInspector inspector;
  inspector.Add(log);
  const uint64_t end = inspector.damaged_at().value_or(log.size());
  if (inspector.damage() == LogDamage::kInside) {
    return absl::DataLossError(path + " is damaged at byte " + std::to_string(end) +
                               ", before acknowledged writes: restore the store from a backup");
  }
  if (end < synced_bytes) {
    return NotWhole(folder, name, absl::StrFormat("is damaged or ends at byte %d", end),
                    synced_bytes);
  }
  if (inspector.damage() == LogDamage::kNone) return absl::OkStatus();
  Log(LogLevel::kWarn, "the log ends in a record that was only partly written to disk",
      {{"log", path}, {"byte", end}, {"bytes_left_out", log.size() - end}});
  return absl::OkStatus();
}

}  // namespace

void LogInspector::Add(std::string_view log) {
  while (!log.empty()) {
    AddBlock(log.substr(0, kBlockBytes));
    log.remove_prefix(std::min(log.size(), kBlockBytes));
  }
  // A record without its last piece.
  if (is_in_record_) FoundDamage();
  is_in_record_ = false;
}

// After damage the next record may begin at any byte, because the length may be what was damaged.
void LogInspector::AddBlock(std::string_view block) {
  const bool is_full = block.size() == kBlockBytes;
  while (block.size() >= kHeaderBytes) {
    const size_t size = RecordBytes(block);
    if (size == 0) {
      FoundDamage();
    } else {
      FoundRecord(block.substr(0, size));
    }
    block.remove_prefix(std::max<size_t>(size, 1));
    byte_count_ += std::max<size_t>(size, 1);
  }
  // The rest of a full block is padding.
  if (!block.empty() && !is_full) FoundDamage();
  byte_count_ += block.size();
}

void LogInspector::FoundDamage() {
  is_in_record_ = false;
  if (!damaged_at_.has_value()) damaged_at_ = byte_count_;
}

void LogInspector::FoundRecord(std::string_view record) {
  const auto type = static_cast<uint8_t>(record[kTypeOffset]);
  const bool begins = type == kWholeRecord || type == kFirstPiece;
  if (begins == is_in_record_) FoundDamage();
  is_in_record_ = type == kFirstPiece || (type == kMiddlePiece && is_in_record_);
  if (begins && damaged_at_.has_value() && !IsBatchWithoutChanges(record)) {
    has_record_behind_ = true;
  }
}

LogDamage LogInspector::damage() const {
  if (!damaged_at_.has_value()) return LogDamage::kNone;
  return has_record_behind_ ? LogDamage::kInside : LogDamage::kAtEnd;
}

absl::StatusOr<LogDamage> FindLogDamage(const Env& env, const std::string& folder,
                                        uint64_t oldest_log) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListLogs(env, folder));
  LogInspector inspector;
  for (const std::string& name : names) {
    if (NumberOfLog(name).value_or(0) < oldest_log) continue;
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string log, env.ReadFile(folder + "/" + name));
    inspector.Add(log);
  }
  return inspector.damage();
}

absl::Status CheckLogs(const Env& env, const std::string& folder,
                       std::span<const SyncedLog> synced) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::string> names, ListLogs(env, folder));
  for (const SyncedLog& log : synced) {
    const std::string name = LogName(log.number);
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return NotWhole(folder, name, "is missing", log.byte_count);
    }
  }
  for (const std::string& name : names) {
    LOCKSTEP_RETURN_IF_ERROR(CheckLog(env, folder, name, SyncedBytesOf(name, synced)));
  }
  return absl::OkStatus();
}

}  // namespace lockstep::kv
