// A profile of this process's memory in pprof's format: the memory allocated with malloc, by
// account of the memory budget. It has no stacks, because single allocations are not tracked.
#pragma once

#include <cstdint>
#include <string>

#include "base/budget/memory_budget.h"

namespace lockstep::profile {

struct HeapState {
  uint64_t allocated_bytes = 0;  // with malloc
  uint64_t free_bytes = 0;       // kept by malloc for reuse
  MemoryBudgetStats budget;
  int64_t time_ns = 0;  // Unix
};

// The current state of this process.
HeapState ReadHeapState();
// `state` as a gzip-compressed profile, with an account's name where pprof expects a function.
std::string HeapProfile(const HeapState& state);

}  // namespace lockstep::profile
