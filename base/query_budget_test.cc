#include "base/query_budget.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using Clock = QueryBudget::Clock;

TEST(QueryBudget, RefusesTheSampleAfterTheLast) {
  QueryBudget budget(10, Clock::time_point::max());
  EXPECT_TRUE(budget.Charge(10).ok());
  EXPECT_EQ(budget.Charge(1),
            absl::ResourceExhaustedError(
                "query processing would load too many samples into memory in "
                "query execution: 11 at once, of at most 10 (query.max-samples)"));
  budget.Release(4);
  EXPECT_TRUE(budget.Charge(4).ok());
  EXPECT_EQ(budget.peak_samples(), 10);
}

TEST(QueryBudget, SaysWhyToStop) {
  QueryBudget late(1, Clock::time_point::min());
  EXPECT_EQ(late.Check().code(), absl::StatusCode::kDeadlineExceeded);
  late.LiftDeadline();
  EXPECT_TRUE(late.Check().ok());
  QueryBudget budget(1, Clock::time_point::max());
  EXPECT_TRUE(budget.Check().ok());
  budget.Cancel();
  EXPECT_EQ(budget.Check().code(), absl::StatusCode::kCancelled);
  QueryBudget closing(1, Clock::time_point::max());
  closing.ShutDown();
  EXPECT_EQ(closing.Check().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace lockstep
