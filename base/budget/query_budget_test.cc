#include "base/budget/query_budget.h"

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
                "query execution: 11 at once, and the limit is 10 (query.max-samples)"));
  budget.Release(4);
  EXPECT_TRUE(budget.Charge(4).ok());
  EXPECT_EQ(budget.peak_samples(), 10);
}

TEST(QueryBudget, RefusesTheTextAfterTheLast) {
  QueryBudget budget(10, Clock::time_point::max());
  EXPECT_TRUE(budget.ChargeText(639).ok());
  EXPECT_EQ(budget.ChargeText(1),
            absl::ResourceExhaustedError(
                "query processing would hold too many bytes of labels in memory: 640 at once, and "
                "the limit is 64 times 10 (query.max-samples)"));
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

// Trying again would not help it.
TEST(QueryBudget, AQueryThatNeedsMoreThanHalfOfTheMemoryOfAllIsTooLarge) {
  constexpr int64_t kMiB = 1 << 20;
  MemoryBudget memory(16 * kMiB);
  ASSERT_EQ(memory.MaxBytesOf(MemoryAccount::kQueries), uint64_t{8 * kMiB});
  const int64_t unlimited = int64_t{1} << 40;
  QueryBudget large(unlimited, Clock::time_point::max(), memory);
  QueryBudget small(unlimited, Clock::time_point::max(), memory);
  ASSERT_TRUE(large.ChargeText(4 * kMiB).ok());
  ASSERT_TRUE(small.ChargeText(3 * kMiB).ok());
  EXPECT_EQ(large.ChargeText(kMiB),
            absl::ResourceExhaustedError(
                "the query needs at least 5.0 MiB of memory, more than half of the limit of 8.0 "
                "MiB for all queries (--memory-limit)"));
  EXPECT_TRUE(absl::IsUnavailable(small.ChargeText(kMiB)));
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

TEST(QueryBudget, TheReasonIsTold) {
  EXPECT_EQ(QueryBudget(1, Clock::time_point::min()).Check(),
            absl::DeadlineExceededError("query timed out in expression evaluation"));
  QueryBudget budget(1, Clock::time_point::max());
  budget.ShutDown();
  EXPECT_EQ(budget.Check(), absl::UnavailableError("the server is shutting down"));
  budget.Cancel();
  EXPECT_EQ(budget.Check(), absl::CancelledError("query was canceled in expression evaluation"));
}

TEST(QueryBudget, WhatIsRefusedIsNotHeld) {
  constexpr int64_t kMiB = 1 << 20;
  MemoryBudget memory(16 * kMiB);
  QueryBudget budget(int64_t{1} << 40, Clock::time_point::max(), memory);
  EXPECT_FALSE(budget.ChargeAnswer(7 * kMiB).ok());
  EXPECT_EQ(memory.stats().held_bytes, 0u);
  EXPECT_FALSE(budget.ChargeText(7 * kMiB).ok());
  EXPECT_FALSE(budget.Charge(7 * kMiB / QueryBudget::kBytesPerSample).ok());
  EXPECT_EQ(budget.peak_samples(), 0);
  // Memory is taken in steps of a quarter of a mebibyte.
  EXPECT_TRUE(budget.ChargeAnswer(1).ok());
  EXPECT_EQ(memory.stats().held_bytes, static_cast<uint64_t>(kMiB / 4));
  EXPECT_TRUE(budget.ChargeAnswer(kMiB / 4 - 1).ok());
  EXPECT_EQ(memory.stats().held_bytes, static_cast<uint64_t>(kMiB / 4));
  EXPECT_TRUE(budget.Charge(1).ok());
  EXPECT_EQ(memory.stats().held_bytes, static_cast<uint64_t>(kMiB / 2));
}

TEST(QueryBudget, AllQueriesTogetherMayHaveTheirFullShare) {
  constexpr int64_t kMiB = 1 << 20;
  MemoryBudget memory(64 * kMiB);
  FairPool shares(8 * kMiB, MemoryBudget::kSmallBytes);
  const int64_t unlimited = int64_t{1} << 40;
  const auto claim = [&shares](const char* network) {
    return FairPool::Claim(shares, {.network = network, .user = ""});
  };
  QueryBudget first(unlimited, Clock::time_point::max(), memory, claim("a"));
  QueryBudget second(unlimited, Clock::time_point::max(), memory, claim("b"));
  EXPECT_TRUE(first.ChargeAnswer(4 * kMiB).ok());
  EXPECT_EQ(second.ChargeAnswer(5 * kMiB),
            absl::UnavailableError("all queries already use their full share of the 32.0 MiB of "
                                   "memory for queries (--memory-limit); try again later"));
  EXPECT_EQ(memory.stats().held_bytes, static_cast<uint64_t>(4 * kMiB));
}

TEST(QueryBudget, OneClientsQueriesHoldNoMoreThanTheirShare) {
  constexpr int64_t kMiB = 1 << 20;
  MemoryBudget memory(64 * kMiB);
  FairPool shares(memory.MaxBytesOf(MemoryAccount::kQueries), MemoryBudget::kSmallBytes);
  const auto claim = [&shares](const char* network, const char* user) {
    return FairPool::Claim(shares, {.network = network, .user = user});
  };
  const int64_t unlimited = int64_t{1} << 40;
  QueryBudget first(unlimited, Clock::time_point::max(), memory, claim("a", "u"));
  EXPECT_TRUE(first.ChargeAnswer(15 * kMiB).ok());
  EXPECT_EQ(first.ChargeAnswer(3 * kMiB),
            absl::ResourceExhaustedError(
                "the query needs at least 18.0 MiB of memory, more than half of the limit of 32.0 "
                "MiB for all queries (--memory-limit)"));
  EXPECT_EQ(memory.stats().held_bytes, uint64_t{15 * kMiB});
  for (const auto& [network, user] : {std::pair("a", ""), std::pair("b", "u")}) {
    QueryBudget same(unlimited, Clock::time_point::max(), memory, claim(network, user));
    EXPECT_EQ(same.ChargeText(4 * kMiB),
              absl::UnavailableError(
                  "this client's queries already use their full share of the 32.0 MiB of memory "
                  "for queries (--memory-limit); try again later"));
  }
  QueryBudget other(unlimited, Clock::time_point::max(), memory, claim("c", ""));
  EXPECT_TRUE(other.Charge(8 * kMiB / QueryBudget::kBytesPerSample).ok());
}

}  // namespace
}  // namespace lockstep
