// A steady rate: computes when the next request is due from the samples sent before.
#pragma once

#include <chrono>
#include <cstdint>

namespace lockstep::replay {

struct Pace {
  double samples_per_s = 0;  // 0: everything is due at once

  // The delay after the start. A late sender sends without pauses until it has caught up.
  std::chrono::nanoseconds DueAfter(uint64_t samples_sent) const {
    if (samples_per_s <= 0) return {};
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
        std::chrono::duration<double>(static_cast<double>(samples_sent) / samples_per_s));
  }
};

}  // namespace lockstep::replay
