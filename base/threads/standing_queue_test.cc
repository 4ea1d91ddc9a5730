#include "base/threads/standing_queue.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lockstep {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

// A queue that items leave at times set by the test.
class StandingQueueTest : public testing::Test {
 protected:
  bool LeavesAt(nanoseconds now, nanoseconds waited, Behind behind = Behind::kMore) {
    return queue_.Leaves(StandingQueue::TimePoint(seconds(100) + now), waited, behind);
  }
  // Leaves ten times a second from `begin` to before `end`; returns how many items were refused.
  int Leave(seconds begin, seconds end, nanoseconds waited) {
    int refused = 0;
    for (nanoseconds now = begin; now < end; now += milliseconds(100)) {
      refused += LeavesAt(now, waited) ? 1 : 0;
    }
    return refused;
  }

  StandingQueue queue_{{.stands_after = seconds(5), .least_patience = milliseconds(10)}};
};

// All items arrived in the first half second.
TEST_F(StandingQueueTest, ABurstIsAnsweredHoweverLongItTakes) {
  for (nanoseconds now = seconds(0); now < seconds(20); now += milliseconds(100)) {
    EXPECT_FALSE(LeavesAt(now, std::max<nanoseconds>(now - milliseconds(500), milliseconds(20))));
  }
  EXPECT_FALSE(queue_.stands());
}

// Items keep arriving, three times as many as are worked on, and the waits keep growing.
TEST_F(StandingQueueTest, AQueueThatGrowsStandsAtOnce) {
  for (nanoseconds now = seconds(0); now < seconds(5); now += milliseconds(100)) {
    EXPECT_FALSE(LeavesAt(now, std::max<nanoseconds>(2 * now / 3, milliseconds(20))));
  }
  EXPECT_TRUE(LeavesAt(seconds(5), 2 * seconds(5) / 3));
}

TEST_F(StandingQueueTest, ABurstOfTenTimesTheUsualIsNone) {
  Leave(seconds(0), seconds(50), seconds(50));
  EXPECT_FALSE(queue_.stands());
  EXPECT_TRUE(LeavesAt(seconds(50), seconds(50)));
}

TEST_F(StandingQueueTest, AFewLateOnesDoNotKeepItStanding) {
  Leave(seconds(0), seconds(11), seconds(3));
  ASSERT_TRUE(queue_.stands());
  const auto leave_for_a_second = [this](seconds begin, int late_count) {
    for (int i = 0; i < 20; ++i) {
      (void)LeavesAt(begin + milliseconds(i), i < late_count ? seconds(3) : milliseconds(1));
    }
  };
  leave_for_a_second(seconds(11), 6);
  leave_for_a_second(seconds(12), 5);
  EXPECT_TRUE(queue_.stands());
  EXPECT_FALSE(LeavesAt(seconds(13), milliseconds(1)));
  EXPECT_FALSE(queue_.stands());
}

TEST_F(StandingQueueTest, ABurstThatDrainsIsAnswered) {
  EXPECT_EQ(Leave(seconds(0), seconds(5), seconds(3)), 0);
  EXPECT_FALSE(LeavesAt(seconds(5), milliseconds(1)));
  EXPECT_EQ(Leave(seconds(6), seconds(11), seconds(3)), 0);
  EXPECT_FALSE(queue_.stands());
}

// A page that sends a few queries every two seconds to a machine busy with something else: each
// waits, but the queue is empty in between.
TEST_F(StandingQueueTest, AQueueThatBecomesEmptyDoesNotStand) {
  for (seconds now{0}; now < seconds(60); now += seconds(2)) {
    for (int i = 0; i < 5; ++i) EXPECT_FALSE(LeavesAt(now, milliseconds(200 + i)));
    EXPECT_FALSE(LeavesAt(now, milliseconds(300), Behind::kNothing));
  }
  EXPECT_FALSE(queue_.stands());
}

TEST_F(StandingQueueTest, TheLastItemOfAQueueThatStandsIsAnswered) {
  Leave(seconds(0), seconds(7), seconds(3));
  EXPECT_TRUE(LeavesAt(seconds(7), seconds(3)));
  EXPECT_FALSE(LeavesAt(seconds(7), seconds(3), Behind::kNothing));
  EXPECT_TRUE(LeavesAt(seconds(7), seconds(3)));
}

TEST_F(StandingQueueTest, WhoWaitsTooLongInAQueueThatStandsIsRefused) {
  EXPECT_EQ(Leave(seconds(0), seconds(5), seconds(3)), 0);
  EXPECT_TRUE(LeavesAt(seconds(5), seconds(3)));
  EXPECT_TRUE(queue_.stands());
  EXPECT_TRUE(LeavesAt(seconds(6), milliseconds(11)));
  EXPECT_FALSE(LeavesAt(seconds(6), milliseconds(10)));
}

TEST_F(StandingQueueTest, SlowWorkGivesMorePatience) {
  for (int i = 0; i < 200; ++i) queue_.Took(seconds(1));
  EXPECT_EQ(Leave(seconds(0), seconds(10), milliseconds(1900)), 0);
  EXPECT_TRUE(LeavesAt(seconds(10), milliseconds(2100)));
  // Less than half of the patience is quick.
  EXPECT_EQ(Leave(seconds(11), seconds(13), milliseconds(900)), 0);
  EXPECT_FALSE(queue_.stands());
}

TEST_F(StandingQueueTest, OneQuickItemDoesNotEndIt) {
  Leave(seconds(0), seconds(7), seconds(3));
  EXPECT_FALSE(LeavesAt(seconds(7), milliseconds(1)));
  EXPECT_TRUE(LeavesAt(seconds(7), seconds(3)));
  EXPECT_EQ(Leave(seconds(7), seconds(8), milliseconds(1)), 0);
  EXPECT_TRUE(queue_.stands());
  EXPECT_EQ(Leave(seconds(8), seconds(9), milliseconds(1)), 0);
  EXPECT_FALSE(LeavesAt(seconds(9), milliseconds(1)));
  EXPECT_FALSE(queue_.stands());
  EXPECT_FALSE(LeavesAt(seconds(9), seconds(3)));
}

TEST_F(StandingQueueTest, NothingStandsAfterAPause) {
  Leave(seconds(0), seconds(7), seconds(3));
  ASSERT_TRUE(queue_.stands());
  EXPECT_FALSE(LeavesAt(seconds(60), milliseconds(1)));
  EXPECT_FALSE(LeavesAt(seconds(60), seconds(3)));
}

TEST_F(StandingQueueTest, ResetItDoesNotStand) {
  Leave(seconds(0), seconds(7), seconds(3));
  queue_.Reset();
  EXPECT_FALSE(queue_.stands());
  EXPECT_EQ(Leave(seconds(7), seconds(12), seconds(3)), 0);
  EXPECT_TRUE(LeavesAt(seconds(12), seconds(3)));
}

}  // namespace
}  // namespace lockstep
