#include "ingest/logs/record/attempt_tracker.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "absl/strings/str_format.h"
#include "ingest/logs/record/log_limits.h"

namespace lockstep::logs {
namespace {

class AttemptTrackerTest : public testing::Test {
 protected:
  // "2 repeated": the attempt, and what else is true of the step.
  std::string Place(int32_t rank, int64_t step, RepeatedStep repeated = RepeatedStep::kContinues) {
    const StepPlace place = tracker_.Place(rank, step, repeated);
    EXPECT_EQ(tracker_.attempt(rank), place.attempt);
    return absl::StrFormat("%d%s%s", place.attempt, place.is_continuation ? " continued" : "",
                           place.is_repeated ? " repeated" : "");
  }

  AttemptTracker tracker_{3};
};

TEST_F(AttemptTrackerTest, StepsThatIncreaseAreOfOneAttempt) {
  EXPECT_EQ(tracker_.attempt(0), 3u);
  EXPECT_EQ(Place(0, -5), "3");
  EXPECT_EQ(Place(0, 7), "3");
  EXPECT_EQ(Place(0, 7), "3 continued");
  EXPECT_EQ(Place(0, 8), "3");
}

TEST_F(AttemptTrackerTest, AStepThatDecreasesBeginsAnAttempt) {
  Place(0, 7);
  EXPECT_EQ(Place(0, 6), "4 repeated");
  EXPECT_EQ(Place(0, 6), "4 continued repeated");
  EXPECT_EQ(Place(0, 7), "4 repeated");
  EXPECT_EQ(Place(0, 8), "4");
  // The highest step of all earlier attempts counts.
  EXPECT_EQ(Place(0, 5), "5 repeated");
  EXPECT_EQ(Place(0, 4), "6 repeated");
  EXPECT_EQ(Place(0, 8), "6 repeated");
  EXPECT_EQ(Place(0, 9), "6");
}

TEST_F(AttemptTrackerTest, AStepThatIsPrintedOnceBeginsAnAttemptWhenItComesAgain) {
  EXPECT_EQ(Place(0, 7, RepeatedStep::kNewAttempt), "3");
  EXPECT_EQ(Place(0, 7, RepeatedStep::kNewAttempt), "4 repeated");
  EXPECT_EQ(Place(0, 8, RepeatedStep::kNewAttempt), "4");
}

TEST_F(AttemptTrackerTest, ARestartCountsAfterAStep) {
  tracker_.Restart(AttemptTracker::kAllRanks);
  EXPECT_EQ(Place(0, 7), "3");
  EXPECT_EQ(Place(1, 7), "3");
  tracker_.Restart(AttemptTracker::kAllRanks);
  tracker_.Restart(AttemptTracker::kAllRanks);
  EXPECT_EQ(Place(0, 7), "4 repeated");
  EXPECT_EQ(Place(0, 8), "4");
  EXPECT_EQ(Place(1, 8), "4");
  // A rank that comes later has not been restarted.
  EXPECT_EQ(Place(2, 1), "3");
  EXPECT_EQ(Place(2, 2), "3");
}

TEST_F(AttemptTrackerTest, OneRankMayRestart) {
  Place(0, 7);
  Place(1, 7);
  tracker_.Restart(1);
  EXPECT_EQ(Place(0, 8), "3");
  EXPECT_EQ(Place(1, 8), "4");
  EXPECT_EQ(Place(1, 9), "4");
  tracker_.Restart(2);
  EXPECT_EQ(Place(2, 1), "3");
  EXPECT_EQ(Place(2, 2), "3");
}

TEST_F(AttemptTrackerTest, AttemptsAreLimited) {
  for (uint32_t i = 0; i < kMaxAttempts; ++i) {
    Place(0, 2);
    Place(0, 1);
  }
  EXPECT_EQ(tracker_.attempt(0), 3 + kMaxAttempts);
  Place(0, 0);
  EXPECT_EQ(tracker_.attempt(0), 3 + kMaxAttempts);
}

TEST_F(AttemptTrackerTest, RanksOverTheLimitShareOneState) {
  const auto limit = static_cast<int32_t>(kMaxRanksPerStream);
  for (int32_t rank = 0; rank < limit; ++rank) Place(rank, 5);
  EXPECT_EQ(Place(limit - 1, 4), "4 repeated");
  EXPECT_EQ(tracker_.Place(limit, 5, RepeatedStep::kContinues).attempt, 3u);
  EXPECT_EQ(tracker_.Place(limit + 1, 4, RepeatedStep::kContinues).attempt, 4u);
  EXPECT_EQ(tracker_.attempt(-1), 4u);
  EXPECT_EQ(Place(7, 6), "3");
}

TEST_F(AttemptTrackerTest, StateIsLimitedToo) {
  const auto limit = static_cast<int32_t>(kMaxRanksPerStream);
  for (int32_t rank = 0; rank <= limit; ++rank) Place(rank == limit ? -1 : rank, rank);
  std::string state;
  tracker_.AppendState(state);
  AttemptTracker loaded(3);
  std::string_view in = state;
  ASSERT_TRUE(loaded.LoadState(in));
  EXPECT_EQ(in, "");
  EXPECT_EQ(loaded.Place(limit - 1, limit - 2, RepeatedStep::kContinues).attempt, 4u);
  // An attempt beyond the limit was never written.
  AttemptTracker earlier(2);
  for (uint32_t i = 0; i <= kMaxAttempts; ++i) {
    tracker_.Place(0, 2, RepeatedStep::kContinues);
    tracker_.Place(0, 1, RepeatedStep::kContinues);
  }
  state.clear();
  tracker_.AppendState(state);
  in = state;
  EXPECT_FALSE(earlier.LoadState(in));
  in = state;
  EXPECT_TRUE(AttemptTracker(3).LoadState(in));
}

}  // namespace
}  // namespace lockstep::logs
