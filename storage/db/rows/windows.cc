#include "storage/db/rows/windows.h"

#include "storage/db/rows/window.h"

namespace lockstep {

void StoredWindow::Add(kv::Tier tier, uint64_t generation, const WindowTotals& totals) {
  if (tier == kv::Tier::kCold) {
    if (!cold.has_value()) cold.emplace();
    cold->generation = generation;
    cold->totals.Add(totals);
    return;
  }
  if (hot.empty() || hot.back().generation != generation) hot.push_back({generation, {}});
  hot.back().totals.Add(totals);
}

WindowTotals StoredWindow::totals() const {
  WindowTotals sum;
  if (cold.has_value()) sum.Add(cold->totals);
  for (const Run& run : hot) sum.Add(run.totals);
  return sum;
}

uint64_t StoredWindow::hot_byte_count() const {
  uint64_t sum = 0;
  for (const Run& run : hot) sum += run.totals.byte_count;
  return sum;
}

std::vector<int32_t> WindowsIn(const Windows& windows, TimeRange range) {
  std::vector<int32_t> numbers;
  if (range.max_ms < range.min_ms) return numbers;
  const auto end = windows.upper_bound(WindowOf(range.max_ms));
  for (auto at = windows.lower_bound(WindowOf(range.min_ms)); at != end; ++at) {
    numbers.push_back(at->first);
  }
  return numbers;
}

}  // namespace lockstep
