#include "storage/db/rewrite/merge_plan.h"

#include <algorithm>

#include "storage/db/rows/window.h"

namespace lockstep {
namespace {

// Smaller runs count as this large: rows this small are costly because of their number.
constexpr uint64_t kSmallRunBytes = uint64_t{64} << 10;
constexpr uint64_t kMaxShareOfLargest = 4;  // one in this many

uint64_t SizeOf(const Run& run) { return std::max(run.totals.byte_count, kSmallRunBytes); }

struct Stretch {
  size_t begin = 0;
  size_t end = 0;
  uint64_t byte_count = 0;
  // The cost of getting rid of one run.
  double cost() const {
    return static_cast<double>(byte_count) / static_cast<double>(end - begin - 1);
  }
};

std::optional<Stretch> CheapestStretch(std::span<const Run> runs) {
  std::optional<Stretch> cheapest;
  for (size_t begin = 0; begin + kMinFanIn <= runs.size(); ++begin) {
    uint64_t sum = 0, largest = 0;
    for (size_t end = begin; end < runs.size(); ++end) {
      sum += SizeOf(runs[end]);
      largest = std::max(largest, SizeOf(runs[end]));
      const Stretch stretch = {begin, end + 1, sum};
      if (end + 1 - begin < kMinFanIn || largest * kMaxShareOfLargest > sum) continue;
      if (!cheapest.has_value() || stretch.cost() < cheapest->cost()) cheapest = stretch;
    }
  }
  return cheapest;
}

}  // namespace

bool IsCold(int32_t number, const StoredWindow& window, int64_t now_ms) {
  return RangeOfWindow(number).max_ms < now_ms - kColdAfterMs &&
         window.changed_ms <= now_ms - kColdAfterMs;
}

MergePlan MergeAll(int32_t number, const StoredWindow& window) {
  const uint64_t upto = window.hot.empty() ? window.cold->generation : window.hot.back().generation;
  return {number, kv::Tier::kCold, 0, upto, window.totals().byte_count};
}

std::optional<MergePlan> PlanMerge(const Windows& windows, int64_t now_ms) {
  std::optional<MergePlan> best;
  double least_cost = 0;
  for (const auto& [number, window] : windows) {
    if (window.hot.empty()) continue;
    if (IsCold(number, window, now_ms)) return MergeAll(number, window);
    const std::optional<Stretch> stretch = CheapestStretch(window.hot);
    if (!stretch.has_value() || (best.has_value() && stretch->cost() >= least_cost)) continue;
    least_cost = stretch->cost();
    const uint64_t after = stretch->begin == 0 ? 0 : window.hot[stretch->begin - 1].generation;
    best = {number, kv::Tier::kHot, after, window.hot[stretch->end - 1].generation,
            stretch->byte_count};
  }
  return best;
}

}  // namespace lockstep
