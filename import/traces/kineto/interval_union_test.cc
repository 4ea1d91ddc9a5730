#include "import/traces/kineto/interval_union.h"

#include <gtest/gtest.h>

#include <bitset>
#include <random>

namespace lockstep::traces {
namespace {

constexpr size_t kMoments = 128;
using Moments = std::bitset<kMoments>;

// The model: tracks every moment separately.
Moments MomentsOf(const std::vector<Interval>& intervals) {
  Moments moments;
  for (const Interval& interval : intervals) {
    for (int64_t t = interval.begin_ns; t < interval.end_ns; ++t)
      moments.set(static_cast<size_t>(t));
  }
  return moments;
}

void CheckIsUnion(const std::vector<Interval>& set) {
  for (size_t i = 0; i < set.size(); ++i) {
    EXPECT_GT(set[i].length_ns(), 0);
    if (i == 0) continue;
    EXPECT_GT(set[i].begin_ns, set[i - 1].end_ns);
  }
}

std::vector<Interval> RandomIntervals(std::mt19937& random) {
  std::vector<Interval> intervals(random() % 20);
  for (Interval& interval : intervals) {
    interval.begin_ns = random() % kMoments;
    const int64_t longest = static_cast<int64_t>(kMoments) - interval.begin_ns;
    interval.end_ns = interval.begin_ns + static_cast<int64_t>(random() % 12) % (longest + 1);
  }
  return intervals;
}

TEST(IntervalUnionTest, IsWhatEveryMomentByItselfSays) {
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    const auto a = RandomIntervals(random);
    const auto b = RandomIntervals(random);
    const auto a_union = UnionOf(a);
    const auto b_union = UnionOf(b);
    CheckIsUnion(a_union);
    ASSERT_EQ(MomentsOf(a_union), MomentsOf(a));
    const auto difference = Without(a_union, b_union);
    ASSERT_EQ(MomentsOf(difference), MomentsOf(a) & ~MomentsOf(b));
    CheckIsUnion(difference);
    const auto begin = static_cast<int64_t>(random() % kMoments);
    const Interval window{begin, begin + static_cast<int64_t>(random() % (kMoments - begin))};
    ASSERT_EQ(LengthWithin(a_union, window),
              static_cast<int64_t>((MomentsOf(a) & MomentsOf({window})).count()));
  }
}

TEST(IntervalUnionTest, FindsWhereTwoOverlap) {
  EXPECT_EQ(
      OverlapsWithin({{5, 9}, {0, 6}, {6, 7}, {20, 30}, {30, 31}, {22, 22}, {40, 50}, {40, 50}}),
      (std::vector<Interval>{{5, 7}, {40, 50}}));
  EXPECT_EQ(OverlapsWithin({{0, 10}, {1, 3}, {2, 4}, {8, 12}}),
            (std::vector<Interval>{{1, 4}, {8, 10}}));
  EXPECT_TRUE(OverlapsWithin({}).empty());
}

TEST(IntervalUnionTest, JoinsWhatTouches) {
  EXPECT_EQ(UnionOf({{5, 7}, {1, 3}, {3, 5}, {9, 9}}), (std::vector<Interval>{{1, 7}}));
  EXPECT_EQ(Without(UnionOf({{0, 10}}), UnionOf({{2, 4}, {9, 12}})),
            (std::vector<Interval>{{0, 2}, {4, 9}}));
}

}  // namespace
}  // namespace lockstep::traces
