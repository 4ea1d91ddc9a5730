// MergePlan: which runs of which window to merge next. Pure functions.
//
// A window that has ended and has not changed for an hour is cold: all its rows become one cold
// run. In other windows, neighbouring runs are merged when there are at least kMinFanIn of them and
// none is larger than a quarter of their total. So every merge moves a sample into a run at least
// four times as large as its old one, and with N seals of one size per window a sample is rewritten
// at most log4(N) times, and then once more into the cold run.
//
//   seals of one size in a window       8     64    120    512
//   times a sample is written before
//   it is cold, the seal included       2.0   2.4   2.8    3.7
//   most runs at a time                 8     11    13     16
//
// (Measured by merge_plan_test.cc.) Only neighbours are merged: of two values for one time the one
// with the higher generation wins, so the order must be preserved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "storage/db/rows/windows.h"

namespace lockstep {

inline constexpr size_t kMinFanIn = 8;
inline constexpr int64_t kColdAfterMs = int64_t{60} * 60 * 1000;

// Hot runs with generations above `after` and at most `upto`; if the target is cold, the window's
// cold run too.
struct MergePlan {
  int32_t window = 0;
  kv::Tier target = kv::Tier::kHot;
  uint64_t after = 0;
  uint64_t upto = 0;
  uint64_t byte_count = 0;  // total of the runs' rows
};

// Whether the window with this number is cold at `now_ms`.
bool IsCold(int32_t number, const StoredWindow& window, int64_t now_ms);

// Merges all of a window into one cold run. Precondition: it has a run.
MergePlan MergeAll(int32_t number, const StoredWindow& window);

// Plans the oldest cold window that has hot runs; if there is none, the hot runs whose merge gains
// most for its cost.
std::optional<MergePlan> PlanMerge(const Windows& windows, int64_t now_ms);

}  // namespace lockstep
