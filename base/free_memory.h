// Memory that the process has freed and not given back.
#pragma once

#include <cstdint>
#include <thread>

#include "base/mutex.h"

namespace lockstep {

// Gives the system back what the allocator keeps of freed memory: for after something large has gone. Of what was
// allocated by many threads the allocator gives nothing back on its own as long as one allocation lives behind it.
// Safe from any thread.
void ReturnFreeMemory();

// Returns freed memory whenever enough of it has gathered, whoever freed it.
class FreeMemoryWatch {
 public:
  ~FreeMemoryWatch();

  // Looks every ten seconds, in a thread of its own, until the watch is destroyed.
  void Start();
  // Returns freed memory if 64 MiB more of it are resident than after the last time, and says whether
  // it did. One thread calls it.
  bool Look();

 private:
  void Run();

  int64_t idle_bytes_ = 0;  // resident and not in use when it last looked, or less

  Mutex mutex_;
  CondVar stopped_;
  bool stop_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace lockstep
