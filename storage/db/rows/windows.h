// Windows: what a shard has stored, by window and by run.
//
// A run is what one seal or one merge left in a window. Runs are ordered by generation, later ones
// winning. A run holds the rows whose generations are above that of the previous run and at most
// its own. A window has at most one cold run, which is older than all its hot runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "storage/db/rows/window_row.h"
#include "storage/kv/key_schema.h"

namespace lockstep {

struct Run {
  uint64_t generation = 0;
  WindowTotals totals;
};

struct StoredWindow {
  std::optional<Run> cold;
  std::vector<Run> hot;  // generations ascend
  int64_t changed_ms =
      0;  // when the newest run was sealed, by the store's clock; 0: before the start

  // Adds the content of one row to its run, or to a new run. Precondition: generations of a tier do
  // not descend.
  void Add(kv::Tier tier, uint64_t generation, const WindowTotals& totals);
  size_t run_count() const { return hot.size() + (cold.has_value() ? 1 : 0); }
  WindowTotals totals() const;
  uint64_t hot_byte_count() const;
};

// By number.
using Windows = std::map<int32_t, StoredWindow>;

// The numbers of the windows that touch the range, ascending.
std::vector<int32_t> WindowsIn(const Windows& windows, TimeRange range);

}  // namespace lockstep
