#include "answers/lateness_cache.h"

#include <gtest/gtest.h>

namespace lockstep::answers {
namespace {

JobLatenessPtr Of(const char* job, size_t attempt, size_t ranks) {
  auto lateness = std::make_shared<training::JobLateness>();
  lateness->job = job;
  lateness->attempt = attempt;
  lateness->ranks.resize(ranks);
  return lateness;
}

TEST(LatenessCacheTest, FindsWhatIsStillTrue) {
  MemoryBudget memory;
  LatenessCache cache(memory);
  const JobLatenessPtr kept = Of("a", 1, 4);
  cache.Keep(1000, kept);
  EXPECT_EQ(cache.Find("a", 1, 1000), kept);
  EXPECT_EQ(cache.Find("a", 1, 2000), nullptr);
  EXPECT_EQ(cache.Find("a", 0, 1000), nullptr);
  EXPECT_EQ(cache.Find("b", 1, 1000), nullptr);
  const JobLatenessPtr newer = Of("a", 1, 8);
  cache.Keep(2000, newer);
  EXPECT_EQ(cache.Find("a", 1, 2000), newer);
}

TEST(LatenessCacheTest, GivesWay) {
  MemoryBudget memory(uint64_t{1} << 20);
  {
    LatenessCache cache(memory);
    cache.Keep(1000, Of("a", 0, 4));
    EXPECT_GT(memory.stats().held_bytes, 0u);
    // Larger than all of it.
    cache.Keep(1000, Of("b", 0, 100'000));
    EXPECT_EQ(cache.Find("b", 0, 1000), nullptr);
    EXPECT_NE(cache.Find("a", 0, 1000), nullptr);
  }
  EXPECT_EQ(memory.stats().held_bytes, 0u);
}

TEST(LatenessCacheTest, GivesWayToOthers) {
  MemoryBudget memory(uint64_t{1} << 20);
  LatenessCache cache(memory);
  cache.Keep(1000, Of("a", 0, 1000));
  const uint64_t rest = memory.max_bytes() - memory.stats().held_bytes;
  (void)memory.Take(MemoryAccount::kQueries, rest, 0);
  (void)memory.Take(MemoryAccount::kQueries, 1 << 16, 0);
  EXPECT_EQ(cache.Find("a", 0, 1000), nullptr);
}

}  // namespace
}  // namespace lockstep::answers
