#include "base/query_budget.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using Clock = QueryBudget::Clock;

TEST(QueryBudget, RefusesTheSampleAfterTheLast) {
  QueryBudget budget(10, Clock::time_point::max());
  EXPECT_TRUE(budget.Charge(10).ok());
  EXPECT_EQ(budget.Charge(1).code(), absl::StatusCode::kResourceExhausted);
  budget.Release(4);
  EXPECT_TRUE(budget.Charge(4).ok());
  EXPECT_EQ(budget.peak_samples(), 10);
}

TEST(QueryBudget, SaysWhyToStop) {
  QueryBudget late(1, Clock::time_point::min());
  EXPECT_EQ(late.Check().code(), absl::StatusCode::kDeadlineExceeded);
  QueryBudget budget(1, Clock::time_point::max());
  EXPECT_TRUE(budget.Check().ok());
  budget.Cancel();
  EXPECT_EQ(budget.Check().code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace lockstep
