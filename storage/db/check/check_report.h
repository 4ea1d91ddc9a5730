// The result of checking a store, as plain data, and callbacks for its progress.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "model/sample.h"
#include "storage/db/rows/window_row.h"

namespace lockstep {

// One day over all shards.
struct CheckedDay {
  WindowTotals totals;
  uint64_t row_count = 0;
  uint64_t series_count = 0;
};

struct CheckReport {
  std::map<int32_t, CheckedDay> days;  // by number, counted from 1970-01-01 UTC
  uint64_t shard_count = 0;
  uint64_t table_count = 0;
  uint64_t table_bytes = 0;
  uint64_t series_count = 0;
  uint64_t journal_block_count = 0;  // not in chunks yet, nor are their samples:
  uint64_t journal_sample_count = 0;
  uint64_t unfinished_row_count = 0;  // of unfinished seals: they are ignored
  uint64_t damage_count = 0;
};

struct CheckListener {
  // Called for each case of damage as it is found: "shard-000 hot chunks 2026-01-02T04 family 3
  // block 1 generation 7 part 0", "series 5 of the block: ...".
  std::function<void(const std::string& where, const std::string& what)> on_damage;
  // Called often: "shard-000: chunks of 2026-01-02, 12000 rows so far".
  std::function<void(const std::string& doing)> on_progress;
};

}  // namespace lockstep
