#include "storage/db/shard_state.h"

#include "storage/db/window.h"

namespace lockstep {

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
