// Distinguishes damage at the end of RocksDB's logs, which a power cut causes and which loses
// nothing acknowledged, from damage inside them, which is followed by acknowledged records.
//
// This is correct because every batch is synced before the next one is written: a record after a
// damaged one was started only after the damaged one was completely on disk.
//
// One record proves nothing: RocksDB begins the first log after a damaged end with a batch without
// changes, and the power may fail before the damaged log is no longer needed.
//
// Source: RocksDB, db/log_format.h, db/write_batch.cc, DBImpl::Open(). A log is blocks of 32 KiB; a record, or a piece of one that
// does not fit into a block, is | masked crc32c | length u16 | type u8 | bytes |, little-endian,
// and the checksum is over type and bytes. Types: 1 whole, 2 first piece, 3 middle piece, 4 last
// piece.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/kv/files/env.h"
#include "storage/kv/marks/log_mark.h"

namespace lockstep::kv {

enum class LogDamage {
  kNone,
  kAtEnd,   // no record with changes begins after it
  kInside,  // a record with changes begins after it
};

// Inspects logs, oldest first.
class LogInspector {
 public:
  void Add(std::string_view log);
  LogDamage damage() const;
  // The position of the first damage, counted from the first byte that was added.
  std::optional<uint64_t> damaged_at() const { return damaged_at_; }

 private:
  void AddBlock(std::string_view block);
  void FoundDamage();
  void FoundRecord(std::string_view record);

  uint64_t byte_count_ = 0;
  std::optional<uint64_t> damaged_at_;
  bool is_in_record_ = false;  // after a first or middle piece
  bool has_record_behind_ = false;
};

// Inspects the logs in a store's folder with this number or a higher one, as one sequence. Logs
// that RocksDB no longer needs may have lost their ends in a power cut, because they are never
// synced once their rows are in tables.
absl::StatusOr<LogDamage> FindLogDamage(const Env& env, const std::string& folder,
                                        uint64_t oldest_log);

// Checks each log by itself. Call it before RocksDB opens the logs, because RocksDB silently drops
// what follows some kinds of damage. kDataLoss if a log is damaged inside, or if one of `synced`,
// the logs that the mark names, is missing or ends before its synced length; other damage at an end
// is logged. It does not look across two logs: the older one may have been cut off by a full disk
// and be no longer needed.
absl::Status CheckLogs(const Env& env, const std::string& folder,
                       std::span<const SyncedLog> synced);

}  // namespace lockstep::kv
