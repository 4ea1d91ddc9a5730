#include <gtest/gtest.h>
#include <array>
#include <memory>
#include <vector>

#include "base/budget/memory_budget.h"
#include "profile/heap_profile.h"

namespace lockstep::profile {
namespace {

TEST(HeapStateTest, KnowsThisProcess) { EXPECT_GT(ReadHeapState().allocated_bytes, 0u); }

TEST(HeapStateTest, CountsSmallAndLargeAllocations) {
  const HeapState before = ReadHeapState();
  EXPECT_GT(before.time_ns, 0);
  // glibc maps what is this large by itself.
  const auto large = std::make_unique<std::array<char, 64 << 20>>();
  (*large)[0] = 1;
  EXPECT_GE(ReadHeapState().allocated_bytes, before.allocated_bytes + large->size());
  std::vector<std::unique_ptr<std::array<char, 1024>>> small;
  for (int i = 0; i < 4096; ++i) small.push_back(std::make_unique<std::array<char, 1024>>());
  const HeapState with_small = ReadHeapState();
  EXPECT_GE(with_small.allocated_bytes,
            before.allocated_bytes + large->size() + small.size() * 1024);
  // All but the last, so that the heap does not shrink.
  for (size_t i = 0; i + 1 < small.size(); ++i) small[i].reset();
  EXPECT_GE(ReadHeapState().free_bytes, with_small.free_bytes + (small.size() - 100) * 1024);
}

TEST(HeapStateTest, HasTheBudgetOfTheProcess) {
  MemoryCharge charge(MemoryAccount::kQueries);
  const auto held = [] {
    return ReadHeapState().budget.accounts[static_cast<size_t>(MemoryAccount::kQueries)].held_bytes;
  };
  const uint64_t before = held();
  ASSERT_TRUE(charge.Add(10 << 20).ok());
  EXPECT_GE(held(), before + (10 << 20));
}

}  // namespace
}  // namespace lockstep::profile
