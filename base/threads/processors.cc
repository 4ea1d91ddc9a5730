#include "base/threads/processors.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

namespace lockstep {
namespace {

// In units of nice(1).
constexpr int kLowerBy = 5;

}  // namespace

size_t UsableProcessorCount() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  // Fails if the machine has more processors than the set has room for.
  if (sched_getaffinity(0, sizeof(usable), &usable) != 0) {
    return std::max(std::thread::hardware_concurrency(), 1u);
  }
  return static_cast<size_t>(std::max(CPU_COUNT(&usable), 1));
}

void LowerThreadPriority() {
  errno = 0;
  const int of_process = getpriority(PRIO_PROCESS, static_cast<id_t>(getpid()));
  if (of_process == -1 && errno != 0) return;
  (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), of_process + kLowerBy);
}

}  // namespace lockstep
