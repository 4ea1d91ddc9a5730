#include "scrape/scrape_schedule.h"

#include <gtest/gtest.h>

namespace lockstep::scrape {
namespace {

constexpr int64_t kIntervalMs = 15'000;
constexpr int64_t kNowMs = 1'700'000'001'234;

TEST(ScrapeScheduleTest, EveryIntervalAtAnOffsetOfItsOwn) {
  ScrapeSchedule schedule(31'000, kIntervalMs, kNowMs);
  int64_t due_ms = schedule.due_ms();
  EXPECT_GT(due_ms, kNowMs);
  EXPECT_LE(due_ms, kNowMs + kIntervalMs);
  EXPECT_EQ(due_ms % kIntervalMs, 31'000 % kIntervalMs);
  EXPECT_FALSE(schedule.IsDue(due_ms - 1));
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(schedule.IsDue(due_ms));
    EXPECT_EQ(schedule.Take(due_ms), due_ms);
    due_ms += kIntervalMs;
    EXPECT_EQ(schedule.due_ms(), due_ms);
  }
}

TEST(ScrapeScheduleTest, ALittleLateIsOnTime) {
  ScrapeSchedule schedule(1, kIntervalMs, kNowMs);
  const int64_t due_ms = schedule.due_ms();
  EXPECT_EQ(schedule.Take(due_ms + 2), due_ms);
  EXPECT_EQ(schedule.Take(due_ms + kIntervalMs + 3), due_ms + kIntervalMs + 3);
  // Missed scrapes are not made up for.
  EXPECT_EQ(schedule.Take(due_ms + 5 * kIntervalMs + 7), due_ms + 5 * kIntervalMs + 7);
  EXPECT_EQ(schedule.due_ms(), due_ms + 6 * kIntervalMs);
}

TEST(ScrapeScheduleTest, AClockThatWasSetBackIsFollowed) {
  ScrapeSchedule schedule(1, kIntervalMs, kNowMs);
  schedule.Rewind(kNowMs - 100 * kIntervalMs);
  EXPECT_LE(schedule.due_ms(), kNowMs - 99 * kIntervalMs);
}

}  // namespace
}  // namespace lockstep::scrape
