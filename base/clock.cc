#include "base/clock.h"

#include <time.h>

namespace lockstep {
namespace {

constexpr int64_t kNsPerMs = 1'000'000;

int64_t ReadNs(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * 1000 * kNsPerMs + time.tv_nsec;
}

}  // namespace

int64_t SystemTimeNs() { return ReadNs(CLOCK_REALTIME); }
int64_t SystemTimeMs() { return SystemTimeNs() / kNsPerMs; }
int64_t BootTimeMs() { return ReadNs(CLOCK_BOOTTIME) / kNsPerMs; }

}  // namespace lockstep
