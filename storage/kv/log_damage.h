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

#include <string>
#include <string_view>

#include "base/status.h"
#include "storage/kv/env.h"

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

 private:
  void AddBlock(std::string_view block);

  bool is_damaged_ = false;
  bool has_record_behind_ = false;
};

// Of all logs in a store's folder.
absl::StatusOr<LogDamage> FindLogDamage(const Env& env, const std::string& folder);

}  // namespace lockstep::kv
