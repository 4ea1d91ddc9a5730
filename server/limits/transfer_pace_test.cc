#include "server/limits/transfer_pace.h"

#include <gtest/gtest.h>

namespace lockstep::server {
namespace {

HttpLimits LimitsOf(std::chrono::milliseconds window, uint64_t bytes_per_second) {
  HttpLimits limits;
  limits.slow_transfer_timeout = window;
  limits.min_transfer_bytes_per_second = bytes_per_second;
  return limits;
}

TEST(TransferPaceTest, EachWindowNeedsItsBytes) {
  TransferPace pace(LimitsOf(std::chrono::seconds(10), 100));
  pace.Begin(50);
  EXPECT_TRUE(pace.KeepsUp(1050));
  EXPECT_FALSE(pace.KeepsUp(2049));
  // A surplus in one window does not count for the next.
  EXPECT_TRUE(pace.KeepsUp(9000));
  EXPECT_FALSE(pace.KeepsUp(9999));
  EXPECT_TRUE(pace.KeepsUp(10999));
}

TEST(TransferPaceTest, AnotherTransferBeginsAnew) {
  TransferPace pace(LimitsOf(std::chrono::seconds(1), 100));
  pace.Begin(0);
  EXPECT_TRUE(pace.KeepsUp(5000));
  pace.Begin(0);
  EXPECT_FALSE(pace.KeepsUp(99));
  pace.Begin(0);
  EXPECT_TRUE(pace.KeepsUp(100));
}

TEST(TransferPaceTest, NothingAtAllIsTooSlowAtAnyRate) {
  TransferPace pace(LimitsOf(std::chrono::milliseconds(5), 1));
  pace.Begin(7);
  EXPECT_FALSE(pace.KeepsUp(7));
  EXPECT_TRUE(pace.KeepsUp(8));
}

}  // namespace
}  // namespace lockstep::server
