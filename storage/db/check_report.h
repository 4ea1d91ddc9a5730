// What a check of a store finds: plain data, and who hears of it while it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>

#include "model/sample.h"
#include "storage/db/window_row.h"

namespace lockstep {

// One day of all shards together.
struct CheckedDay {
  WindowTotals totals;
  uint64_t row_count = 0;
  uint64_t series_count = 0;
};

struct CheckReport {
  std::map<int32_t, CheckedDay> days;  // by number, from 1970-01-01 UTC on
  uint64_t shard_count = 0;
  uint64_t table_count = 0;
  uint64_t table_bytes = 0;
  uint64_t series_count = 0;
  uint64_t journal_block_count = 0;  // that are not in chunks yet, as are their samples:
  uint64_t journal_sample_count = 0;
  uint64_t unfinished_row_count = 0;  // of seals that did not come to an end: they mean nothing
  uint64_t damage_count = 0;
};

struct CheckListener {
  // Each case of damage as it is found: "shard-000 hot chunks 2026-01-02T04 family 3 block 1
  // generation 7 part 0", "series 5 of the block: ...".
  std::function<void(const std::string& where, const std::string& what)> on_damage;
  // Often: "shard-000: chunks of 2026-01-02, 12000 rows".
  std::function<void(const std::string& doing)> on_progress;
};

}  // namespace lockstep
