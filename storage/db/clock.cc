#include "storage/db/clock.h"

#include <chrono>

namespace lockstep {

int64_t SystemTimeMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace lockstep
