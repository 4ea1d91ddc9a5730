#include "base/clock.h"

#include <gtest/gtest.h>
#include <time.h>

#include <cstdint>

namespace lockstep {
namespace {

TEST(ClockTest, TheSystemsTimeIsThatOfItsOtherReaders) {
  const auto now_ns = [] {
    timespec time{};
    clock_gettime(CLOCK_REALTIME, &time);
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  const int64_t before_ns = now_ns();
  const int64_t ns = SystemTimeNs();
  const int64_t ms = SystemTimeMs();
  const int64_t after_ns = now_ns();
  EXPECT_LE(before_ns, ns);
  EXPECT_LE(ns, after_ns);
  EXPECT_LE(before_ns / 1'000'000, ms);
  EXPECT_LE(ms, after_ns / 1'000'000);
}

TEST(ClockTest, TheTimeSinceBootIsThatOfTheKernel) {
  const auto now_ms = [] {
    timespec time{};
    clock_gettime(CLOCK_BOOTTIME, &time);
    return int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
  };
  const int64_t before_ms = now_ms();
  const int64_t ms = BootTimeMs();
  EXPECT_LE(before_ms, ms);
  EXPECT_LE(ms, now_ms());
}

}  // namespace
}  // namespace lockstep
