#include "ingest/rate_limit.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class RateLimitTest : public testing::Test {
 protected:
  void Pass(milliseconds time) { now_ += time; }
  bool Admits(RateLimit& limit, uint64_t sample_count) { return limit.Admit(sample_count).ok(); }
  seconds WaitOf(RateLimit& limit) {
    const absl::Status status = limit.Admit(1);
    EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
    return RetryAfter(status).value_or(seconds(-1));
  }

  RateLimit::Clock::time_point now_{};
  RateLimit limit_{100, [this] { return now_; }};
};

TEST_F(RateLimitTest, WithoutALimitEverythingComesIn) {
  RateLimit none(0);
  EXPECT_TRUE(Admits(none, UINT64_MAX));
  EXPECT_TRUE(Admits(none, 1));
}

TEST_F(RateLimitTest, TakesOneSecondsWorthAtOnceAndThenTheRate) {
  EXPECT_TRUE(Admits(limit_, 60));
  EXPECT_TRUE(Admits(limit_, 40));
  EXPECT_FALSE(Admits(limit_, 1));
  Pass(milliseconds(500));
  EXPECT_TRUE(Admits(limit_, 50));
  EXPECT_FALSE(Admits(limit_, 1));
  Pass(milliseconds(3'600'000));
  EXPECT_TRUE(Admits(limit_, 100));  // a long rest saves up no more than a second
  EXPECT_FALSE(Admits(limit_, 1));
}

TEST_F(RateLimitTest, ARequestLargerThanTheRateComesThroughAndTheNextOnesWait) {
  EXPECT_TRUE(Admits(limit_, 1000));
  EXPECT_EQ(WaitOf(limit_), seconds(9));
  Pass(milliseconds(8'500));
  EXPECT_EQ(WaitOf(limit_), seconds(1));
  Pass(milliseconds(510));
  EXPECT_TRUE(Admits(limit_, 1));
}

TEST_F(RateLimitTest, TheMeanRateIsTheLimit) {
  uint64_t admitted = 0;
  for (int i = 0; i < 1000; ++i) {
    if (Admits(limit_, 7)) admitted += 7;
    Pass(milliseconds(10));
  }
  EXPECT_GE(admitted, 1000u);
  EXPECT_LE(admitted, 1000u + 100 + 7);
}

TEST_F(RateLimitTest, OtherErrorsAskForNoWait) {
  EXPECT_EQ(RetryAfter(absl::ResourceExhaustedError("the queue is full")), std::nullopt);
  EXPECT_EQ(RetryAfter(absl::OkStatus()), std::nullopt);
}

}  // namespace
}  // namespace lockstep
