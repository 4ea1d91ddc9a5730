// What the memory of this process is for, as far as it is known: what malloc gave out, by the
// accounts of the memory budget, in the format of pprof. It knows no stacks: single allocations are
// not followed.
#pragma once

#include <cstdint>
#include <string>

#include "base/memory_budget.h"

namespace lockstep::profile {

struct HeapState {
  uint64_t allocated_bytes = 0;  // given out by malloc
  uint64_t free_bytes = 0;       // kept by malloc for later
  MemoryBudgetStats budget;
  int64_t time_ns = 0;  // Unix
};

// The state of this process now.
HeapState ReadHeapState();
std::string HeapProfile(const HeapState& state);

}  // namespace lockstep::profile
