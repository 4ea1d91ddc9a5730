// The processors that this process may use, and whose turn on them comes first.
#pragma once

#include <cstddef>

namespace lockstep {

// The number of processors that this process may run on; at least 1. Under taskset, and in a
// container with a set of processors, these are fewer than the machine has.
size_t UsableProcessorCount();

// Makes the calling thread give way to the others of this process when all processors are busy, as
// suits work that nobody waits for. Has no effect where that is not allowed.
void LowerThreadPriority();

}  // namespace lockstep
