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

TEST(QueryBudget, RefusesTheTextAfterTheLast) {
  QueryBudget budget(10, Clock::time_point::max());
  EXPECT_TRUE(budget.ChargeText(639).ok());
  EXPECT_EQ(budget.ChargeText(1),
            absl::ResourceExhaustedError(
                "query processing would hold too many bytes of labels in memory: 640 at once, of "
                "at most 64 times 10 (query.max-samples)"));
  budget.ReleaseText(100);
  EXPECT_TRUE(budget.ChargeText(100).ok());
  EXPECT_EQ(budget.peak_samples(), 0);
}

TEST(QueryBudget, KeepsTheMemoryUntilItGoes) {
  constexpr uint64_t kMiB = 1 << 20;
  MemoryBudget memory(16 * kMiB);
  const auto held_bytes = [&memory] { return memory.stats().held_bytes; };
  {
    QueryBudget budget(int64_t{1} << 40, Clock::time_point::max(), memory);
    EXPECT_TRUE(budget.Charge((1 << 20) / 16).ok());
    EXPECT_EQ(held_bytes(), kMiB);
    budget.Release((1 << 20) / 16);
    EXPECT_TRUE(budget.ChargeText(1 << 20).ok());
    EXPECT_EQ(held_bytes(), kMiB);
    EXPECT_TRUE(absl::IsResourceExhausted(budget.Charge(int64_t{1} << 20)));
    QueryBudget other(int64_t{1} << 40, Clock::time_point::max(), memory);
    EXPECT_TRUE(other.ChargeText(6 << 20).ok());
    EXPECT_TRUE(absl::IsUnavailable(budget.ChargeText(1 << 20)));
  }
  EXPECT_EQ(held_bytes(), 0);
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
