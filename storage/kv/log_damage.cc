#include "storage/kv/log_damage.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "rocksdb/env.h"
#include "storage/kv/rocks_status.h"

namespace lockstep::kv {
namespace {

constexpr size_t kBlockBytes = size_t{32} << 10;
constexpr size_t kHeaderBytes = 7;
constexpr size_t kTypeOffset = 6;
constexpr uint8_t kWholeRecord = 1;
constexpr uint8_t kFirstPiece = 2;

uint32_t Crc32c(std::string_view bytes) {
  static constexpr std::array<uint32_t, 256> kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < table.size(); ++i) {
      uint32_t crc = i;
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
      table[i] = crc;
    }
    return table;
  }();
  uint32_t crc = ~0u;
  for (const char byte : bytes) crc = kTable[(crc ^ static_cast<uint8_t>(byte)) & 255] ^ crc >> 8;
  return ~crc;
}

// RocksDB stores checksums so that bytes which hold checksums have no special ones themselves.
uint32_t Masked(uint32_t crc) { return (crc >> 15 | crc << 17) + 0xa282ead8u; }

uint32_t ReadLittleEndian(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
  return value;
}

}  // namespace

void LogInspector::Add(std::string_view log) {
  while (!log.empty()) {
    AddBlock(log.substr(0, kBlockBytes));
    log.remove_prefix(std::min(log.size(), kBlockBytes));
  }
}

// What is left of a block when no record fits any more is padding.
void LogInspector::AddBlock(std::string_view block) {
  while (block.size() >= kHeaderBytes) {
    const size_t size = kHeaderBytes + ReadLittleEndian(block.substr(4, 2));
    const auto type = static_cast<uint8_t>(block[kTypeOffset]);
    if (size > block.size() || type == 0) {
      is_damaged_ = true;
      return;
    }
    const uint32_t crc = Crc32c(block.substr(kTypeOffset, size - kTypeOffset));
    if (Masked(crc) != ReadLittleEndian(block.substr(0, 4))) {
      is_damaged_ = true;
    } else if (is_damaged_ && (type == kWholeRecord || type == kFirstPiece)) {
      has_record_behind_ = true;
    }
    block.remove_prefix(size);
  }
}

LogDamage LogInspector::damage() const {
  if (!is_damaged_) return LogDamage::kNone;
  return has_record_behind_ ? LogDamage::kInside : LogDamage::kAtEnd;
}

absl::StatusOr<LogDamage> FindLogDamage(const Env& env, const std::string& folder) {
  std::vector<std::string> names;
  LOCKSTEP_RETURN_IF_ERROR(FromRocks(env.rocks()->GetChildren(folder, &names)));
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(".log"); });
  // Six digits or more: of two names the shorter is the older.
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  LogInspector inspector;
  for (const std::string& name : names) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string log, env.ReadFile(folder + "/" + name));
    inspector.Add(log);
  }
  return inspector.damage();
}

}  // namespace lockstep::kv
