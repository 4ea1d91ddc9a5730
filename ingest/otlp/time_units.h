// Times of OTLP, which are nanoseconds, as those of samples.
#pragma once

#include <cstdint>

namespace lockstep::otlp {

inline int64_t MillisecondsOf(uint64_t time_ns) {
  return static_cast<int64_t>(time_ns / 1'000'000);
}

}  // namespace lockstep::otlp
