// The processors that this process may use, and the priority of threads on them.
#pragma once

#include <cstddef>

namespace lockstep {

// The number of processors that this process may run on; at least 1. Under taskset, or in a
// container with a set of processors, the machine may have more.
size_t UsableProcessorCount();

// Makes the calling thread give way to the other threads of this process when all processors are
// busy, for work that nobody waits for. Has no effect where that is not allowed.
void LowerThreadPriority();

}  // namespace lockstep
