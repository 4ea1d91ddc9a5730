// Many like things (columns of a matrix, its rows), divided among threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "absl/functional/function_ref.h"
#include "base/task_pool.h"

namespace lockstep::training {

// [first, end)
struct Stretch {
  size_t first = 0;
  size_t end = 0;
};

// Worth the way to another thread, and few enough that two threads end at about the same time.
inline constexpr size_t kStretchSize = 128;

// Calls `work` for stretches that together are [0, count), some at the same time on the pool's threads; without a
// pool, for one. `work` must not touch what another stretch's writes.
inline void InStretches(size_t count, TaskPool* pool, absl::FunctionRef<void(Stretch)> work) {
  if (pool == nullptr) return work({0, count});
  pool->Run((count + kStretchSize - 1) / kStretchSize, [&](size_t i) {
    work({i * kStretchSize, std::min(count, (i + 1) * kStretchSize)});
  });
}

}  // namespace lockstep::training
