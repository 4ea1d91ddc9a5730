// Memory that the process has freed but not returned to the system.
#pragma once

#include <cstdint>
#include <thread>

#include "base/mutex.h"

namespace lockstep {

// Returns to the system the freed memory that the allocator keeps; call it after something large
// was freed. If many threads allocated memory, the allocator returns none of it on its own while
// one allocation after it is still alive. Safe from any thread.
void ReturnFreeMemory();

// Returns freed memory whenever enough of it has accumulated, whichever code freed it.
class FreeMemoryWatch {
 public:
  ~FreeMemoryWatch();

  // Checks every ten seconds, on its own thread, until the watch is destroyed. Also returns kept
  // huge pages that nobody used again.
  void Start();
  // Returns freed memory if 64 MiB more of it are resident than after the last time, and returns
  // whether it did. Call it from one thread only.
  bool Look();

 private:
  void Run();

  int64_t idle_bytes_ = 0;  // resident and unused at the last check, or less

  Mutex mutex_;
  CondVar stopped_;
  bool stop_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace lockstep
