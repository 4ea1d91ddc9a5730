#include "rules/group_schedule.h"

#include <gtest/gtest.h>

namespace lockstep::rules {
namespace {

TEST(GroupScheduleTest, KeepsItsOffsetAndCountsWhatItMissed) {
  // 1'234 modulo 1'000: always 234 ms into the second.
  GroupSchedule schedule(1'234, 1'000, 10'100);
  EXPECT_EQ(schedule.due_ms(), 10'234);
  GroupSchedule::DueTime due = schedule.Take(10'240);
  EXPECT_EQ(due.time_ms, 10'234);
  EXPECT_EQ(due.missed, 0);
  EXPECT_EQ(schedule.due_ms(), 11'234);
  due = schedule.Take(13'300);
  EXPECT_EQ(due.time_ms, 13'234);
  EXPECT_EQ(due.missed, 2);
  EXPECT_EQ(schedule.due_ms(), 14'234);
  schedule.Rewind(5'000);
  EXPECT_EQ(schedule.due_ms(), 5'234);
}

}  // namespace
}  // namespace lockstep::rules
