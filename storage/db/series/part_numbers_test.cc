#include "storage/db/series/part_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

using ::testing::IsEmpty;

std::string Target(const char* job, const char* rank) {
  return LabelSet::Of({{"job", job}, {"rank", rank}}).bytes();
}

class PartNumbersTest : public ::testing::Test {
 protected:
  void Commit() {
    for (PartNumbers::Staged& part : numbers_.CommitStaged()) {
      known_.Add(part.number, std::move(part.labels));
    }
  }

  LabelSets known_;
  PartNumbers numbers_{known_, "job"};
};

TEST_F(PartNumbersTest, OnePartHasOneNumber) {
  const uint32_t first = numbers_.Stage(Target("a", "0")).number;
  const uint32_t second = numbers_.Stage(Target("a", "1")).number;
  EXPECT_LT(first, second);
  EXPECT_EQ(numbers_.Stage(Target("a", "0")).number, first);
  ASSERT_EQ(numbers_.staged().size(), 2u);
  EXPECT_EQ(numbers_.staged()[0].series_count, 2u);
  EXPECT_EQ(numbers_.staged()[1].series_count, 1u);
  EXPECT_EQ(numbers_.staged()[1].labels.bytes(), Target("a", "1"));
  Commit();
  EXPECT_EQ(numbers_.Stage(Target("a", "1")).number, second);
  EXPECT_THAT(numbers_.staged(), IsEmpty());
}

TEST_F(PartNumbersTest, NoNumberIsGivenOutTwice) {
  const uint32_t rolled_back = numbers_.Stage(Target("a", "0")).number;
  numbers_.RollbackStaged();
  const uint32_t committed = numbers_.Stage(Target("a", "0")).number;
  EXPECT_GT(committed, rolled_back);
  Commit();
  known_.Remove(Postings{committed});
  numbers_.Forget(Postings{committed});
  EXPECT_GT(numbers_.Stage(Target("a", "0")).number, committed);
  numbers_.Skip(100);
  EXPECT_EQ(numbers_.Stage(Target("a", "1")).number, 101u);
}

TEST_F(PartNumbersTest, GroupsAreOfOneValue) {
  const uint32_t a = numbers_.Stage(Target("a", "0")).group;
  const uint32_t b = numbers_.Stage(Target("b", "0")).group;
  EXPECT_NE(a, b);
  const PartNumbers::Part more = numbers_.Stage(Target("a", "1"));
  EXPECT_EQ(more.group, a);
  EXPECT_EQ(numbers_.GroupOf(more.number), a);
  // Parts without the label form a group too.
  EXPECT_EQ(numbers_.Stage("").group, numbers_.Stage(LabelSet::Of({{"x", "y"}}).bytes()).group);
  numbers_.RollbackStaged();
  numbers_.Load(50, LabelSet::Of({{"job", "c"}}));
  EXPECT_EQ(numbers_.GroupOf(50), numbers_.Stage(Target("c", "1")).group);
}

TEST(FamilyTable, PlacesFollowEachOtherAndComeOnce) {
  FamilyTable families;
  const SeriesPlace first = families.Take({1, 1});
  EXPECT_EQ(first.ordinal, 0u);
  EXPECT_EQ(families.Take({1, 1}), (SeriesPlace{first.family, 1}));
  EXPECT_NE(families.Take({1, 2}).family, first.family);
  EXPECT_NE(families.Take({2, 1}).family, first.family);
  families.Release({1, 1});
  EXPECT_EQ(families.Take({1, 1}), (SeriesPlace{first.family, 2}));
  EXPECT_EQ(families.size(), 3u);
  families.Release({1, 1});
  families.Release({1, 1});
  EXPECT_EQ(families.size(), 2u);
  EXPECT_GT(families.Take({1, 1}).family, first.family);
}

TEST(FamilyTable, GoesOnBehindWhatWasLoaded) {
  FamilyTable families;
  families.Load({1, 1}, {7, 3});
  families.Load({1, 1}, {7, 1});
  families.Load({1, 2}, {9, 0});
  EXPECT_EQ(families.Take({1, 1}), (SeriesPlace{7, 4}));
  EXPECT_EQ(families.Take({2, 2}), (SeriesPlace{10, 0}));
}

}  // namespace
}  // namespace lockstep
