#include "answers/verdict.h"

#include <gtest/gtest.h>

#include "training/matrix/rank_matrix.h"

namespace lockstep::answers {
namespace {

TEST(VerdictWindow, IsAnHourUnlessThatIsTooMuchToJudge) {
  EXPECT_EQ(VerdictWindowMs(8, 0.2), kVerdictWindowMs);
  EXPECT_EQ(VerdictWindowMs(64, 0.2), kVerdictWindowMs);
  EXPECT_EQ(VerdictWindowMs(1024, 2), kVerdictWindowMs);
  EXPECT_EQ(VerdictWindowMs(1024, 0.2), 512'000);  // 2,048 steps, and a quarter more
  EXPECT_EQ(VerdictWindowMs(16'384, 0.2), 32'000);
  EXPECT_EQ(VerdictWindowMs(100'000, 0.2), 32'000);  // no fewer than 128 steps
  EXPECT_EQ(VerdictWindowMs(16'384, 60), kVerdictWindowMs);
}

TEST(VerdictWindow, IsAnHourWhereThePaceIsUnknown) {
  EXPECT_EQ(VerdictWindowMs(16'384, training::kUnknown), kVerdictWindowMs);
  EXPECT_EQ(VerdictWindowMs(16'384, 0), kVerdictWindowMs);
}

}  // namespace
}  // namespace lockstep::answers
