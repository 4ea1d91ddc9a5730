// What threads may have of the processors.
#pragma once

#include <cstddef>

namespace lockstep {

// On how many processors this process may run; at least 1. Smaller than the number of the machine's
// under taskset, and in containers with a set of processors.
size_t UsableProcessorCount();

// How much later than others a thread runs when all processors are busy, as nice(1) counts it.
enum class ThreadPriority : int {
  // Sealing, merging and retention, which nobody waits for.
  kBackground = 5,
};

// Of the calling thread, from the priority that the process has. Without any effect where that is
// not allowed.
void SetThreadPriority(ThreadPriority priority);

}  // namespace lockstep
