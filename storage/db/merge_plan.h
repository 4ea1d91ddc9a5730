// MergePlan: which runs of which window to put together next. Pure functions.
//
// A window that has ended and has been left alone for an hour is cold: everything of it becomes one
// cold run. The runs of other windows are merged when at least kMinFanIn neighbours are there of which
// none is larger than a quarter of all together. So a sample gets, with every merge, into a run that is
// at least four times as large as the one that it was in, and is rewritten at most log4(N) times when
// there are N seals of one size a window; and then once more into the cold run.
//
//   seals of one size in a window       8     64    120    512
//   times a sample is written before
//   it is cold, the seal included       2.0   2.4   2.8    3.7
//   most runs at a time                 8     11    13     16
//
// (What merge_plan_test.cc finds.) Only neighbours are merged: of two values for one time that of the
// higher generation counts, so order must be kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "storage/db/windows.h"

namespace lockstep {

inline constexpr size_t kMinFanIn = 8;
inline constexpr int64_t kColdAfterMs = int64_t{60} * 60 * 1000;

// Hot runs with generations above `after` and at most `upto`; if the target is cold, the window's cold
// run too.
struct MergePlan {
  int32_t window = 0;
  kv::Tier target = kv::Tier::kHot;
  uint64_t after = 0;
  uint64_t upto = 0;
  uint64_t byte_count = 0;  // of the runs' rows
};

// Whether the window with this number is cold at `now_ms`.
bool IsCold(int32_t number, const StoredWindow& window, int64_t now_ms);

// All of a window as one cold run. Precondition: it has a run.
MergePlan MergeAll(int32_t number, const StoredWindow& window);

// Of the oldest window that is cold and has hot runs; if there is none, of the hot runs that give most
// for the least.
std::optional<MergePlan> PlanMerge(const Windows& windows, int64_t now_ms);

}  // namespace lockstep
