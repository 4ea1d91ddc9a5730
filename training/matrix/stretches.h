// Divides many items of a kind (columns or rows of a matrix) among threads.
#pragma once

#include <algorithm>
#include <cstddef>

#include "absl/functional/function_ref.h"
#include "base/threads/task_pool.h"

namespace lockstep::training {

// [first, end)
struct Stretch {
  size_t first = 0;
  size_t end = 0;
};

// Large enough to be worth handing to another thread, small enough to balance two threads.
inline constexpr size_t kStretchSize = 128;

// Calls `work` for stretches that together cover [0, count), concurrently on the pool's threads.
// Without a pool, calls it once. Calls must not touch data that another call writes.
inline void InStretches(size_t count, TaskPool* pool, absl::FunctionRef<void(Stretch)> work) {
  if (pool == nullptr) return work({0, count});
  pool->Run((count + kStretchSize - 1) / kStretchSize, [&](size_t i) {
    work({i * kStretchSize, std::min(count, (i + 1) * kStretchSize)});
  });
}

}  // namespace lockstep::training
