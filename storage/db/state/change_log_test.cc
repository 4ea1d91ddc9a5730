#include "storage/db/state/change_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace lockstep {
namespace {

TEST(ChangeLog, KnowsTheEarliestSinceAnyMoment) {
  std::mt19937 random(4);
  ChangeLog log;
  std::vector<int64_t> changes;
  for (int i = 0; i < 2000; ++i) {
    changes.push_back(static_cast<int64_t>(random() % 1000));
    log.Add(changes.back());
    const size_t since = random() % changes.size();
    EXPECT_EQ(log.EarliestSince(since),
              *std::min_element(changes.begin() + static_cast<ptrdiff_t>(since), changes.end()));
  }
  EXPECT_EQ(log.count(), changes.size());
  EXPECT_EQ(log.EarliestSince(changes.size()), ChangeLog::kNever);
}

// Samples that stream in order are the worst case: none of them makes an earlier entry redundant.
TEST(ChangeLog, IsNeverTooLateHoweverManyChangesThereAre) {
  constexpr int64_t kCount = 100'000;
  ChangeLog log;
  for (int64_t i = 0; i < kCount; ++i) log.Add(i);
  for (int64_t since = 0; since < kCount; since += 7) {
    EXPECT_LE(log.EarliestSince(static_cast<uint64_t>(since)), since);
  }
  // Recent moments are known exactly.
  EXPECT_EQ(log.EarliestSince(kCount - 1000), kCount - 1000);
  log.Add(-5);
  EXPECT_EQ(log.EarliestSince(kCount - 1000), -5);
  EXPECT_EQ(log.EarliestSince(kCount + 1), ChangeLog::kNever);
}

// Beyond 4,096 spans the older half is kept in pairs.
TEST(ChangeLog, RoundsTheOlderHalfDown) {
  constexpr int64_t kMost = 4096;
  ChangeLog log;
  for (int64_t i = 0; i < kMost; ++i) log.Add(i);
  for (uint64_t since = 0; since < kMost; ++since) {
    ASSERT_EQ(log.EarliestSince(since), static_cast<int64_t>(since));
  }
  log.Add(kMost);
  for (int64_t since = 0; since <= kMost; ++since) {
    const int64_t expected = since < kMost / 2 ? since / 2 * 2 : since;
    ASSERT_EQ(log.EarliestSince(static_cast<uint64_t>(since)), expected);
  }
  EXPECT_EQ(log.EarliestSince(kMost + 1), ChangeLog::kNever);
}

TEST(ChangeLog, AnEarlierChangeCoversLaterOnes) {
  ChangeLog log;
  EXPECT_EQ(log.count(), 0u);
  EXPECT_EQ(log.EarliestSince(0), ChangeLog::kNever);
  log.Add(10);
  log.Add(20);
  log.Add(20);
  EXPECT_EQ(log.EarliestSince(0), 10);
  EXPECT_EQ(log.EarliestSince(1), 20);
  EXPECT_EQ(log.EarliestSince(2), 20);
  EXPECT_EQ(log.EarliestSince(3), ChangeLog::kNever);
  log.Add(15);
  EXPECT_EQ(log.EarliestSince(0), 10);
  EXPECT_EQ(log.EarliestSince(1), 15);
  EXPECT_EQ(log.EarliestSince(3), 15);
}

}  // namespace
}  // namespace lockstep
