// Tells damage at the end of RocksDB's logs, which a power cut makes and which costs nothing that
// was acknowledged, from damage inside them, behind which there are records that were.
//
// It holds because every batch is synced before the next one is written: a record that stands behind
// a damaged one was begun after that one had come to the disk in full.
//
// Source: RocksDB, db/log_format.h. A log is blocks of 32 KiB; a record, or a piece of one that does
// not fit into a block, is | masked crc32c | length u16 | type u8 | bytes |, little-endian, and the
// checksum is over type and bytes. Types: 1 whole, 2 first piece, 3 middle piece, 4 last piece.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/kv/env.h"
#include "storage/kv/log_mark.h"

namespace lockstep::kv {

enum class LogDamage {
  kNone,
  kAtEnd,   // no record begins behind it
  kInside,  // one does
};

// Follows logs from the oldest on.
class LogInspector {
 public:
  void Add(std::string_view log);
  LogDamage damage() const;
  // Where the first damage begins, counted from the first byte that was added.
  std::optional<uint64_t> damaged_at() const { return damaged_at_; }

 private:
  void AddBlock(std::string_view block);
  void FoundDamage();
  void FoundRecord(uint8_t type);

  uint64_t byte_count_ = 0;
  std::optional<uint64_t> damaged_at_;
  bool is_in_record_ = false;  // behind a first or middle piece
  bool has_record_behind_ = false;
};

// Of all logs in a store's folder, taken as one.
absl::StatusOr<LogDamage> FindLogDamage(const Env& env, const std::string& folder);

// Each log by itself, before RocksDB opens them, which drops what is behind some kinds of damage
// without a word. kDataLoss if one is damaged inside, or if one of `synced`, which the mark names,
// is missing or ends before what was synced of it; other damage at an end is logged. Across two
// logs it does not look: the older may be one that a full disk cut off and that nobody needs any
// more.
absl::Status CheckLogs(const Env& env, const std::string& folder,
                       std::span<const SyncedLog> synced);

}  // namespace lockstep::kv
