#include "storage/index/label_sets.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

LabelSet JobAndRank(std::string_view job, std::string_view rank) {
  return LabelSet::Of({{"job", job}, {"rank", rank}});
}

Postings PostingsOf(const LabelSets& sets, std::string_view name, std::string_view value) {
  const std::optional<PairId> pair = sets.pairs().Find(name, value);
  return pair ? sets.pairs().pair(*pair).postings : Postings();
}

TEST(LabelSets, ListsTheSetsOfEachPair) {
  LabelSets sets;
  sets.Add(3, JobAndRank("a", "0"));
  sets.Add(9, JobAndRank("a", "1"));
  sets.Add(5, JobAndRank("b", "0"));
  EXPECT_EQ(sets.size(), 3u);
  EXPECT_GT(sets.id_end(), 9u);
  EXPECT_EQ(sets.byte_count(), 3 * JobAndRank("a", "0").bytes().size());
  EXPECT_EQ(PostingsOf(sets, "job", "a"), (Postings{3, 9}));
  EXPECT_EQ(PostingsOf(sets, "rank", "0"), (Postings{3, 5}));
  EXPECT_EQ(PostingsOf(sets, "rank", "2"), Postings());
  EXPECT_EQ(PostingsOf(sets, "gpu", "0"), Postings());
  EXPECT_EQ(sets.Find(JobAndRank("b", "0").bytes()), 5u);
  EXPECT_EQ(sets.Find(JobAndRank("b", "1").bytes()), std::nullopt);
  EXPECT_EQ(sets.pairs().size(), 4u);
}

TEST(LabelSets, WhatIsRemovedLeavesItsPairs) {
  LabelSets sets;
  sets.Add(3, JobAndRank("a", "0"));
  sets.Add(5, JobAndRank("b", "longer"));
  sets.Add(9, JobAndRank("a", "1"));
  sets.Remove(Postings{5, 9});
  EXPECT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets.byte_count(), JobAndRank("a", "0").bytes().size());
  EXPECT_FALSE(sets.Has(5));
  EXPECT_EQ(sets.Find(JobAndRank("a", "1").bytes()), std::nullopt);
  EXPECT_EQ(PostingsOf(sets, "job", "a"), Postings{3});
  EXPECT_FALSE(sets.pairs().Find("job", "b").has_value());
  EXPECT_EQ(sets.pairs().size(), 2u);
  sets.Remove(Postings{3});
  EXPECT_EQ(sets.byte_count(), 0u);
  EXPECT_EQ(sets.pairs().size(), 0u);
  EXPECT_TRUE(sets.pairs().names().empty());
}

TEST(LabelPairs, NumbersAreGivenOutAgain) {
  LabelPairs pairs;
  const PairId first = pairs.Intern("job", "a"), second = pairs.Intern("job", "b");
  const PairId other = pairs.Intern("rank", "0");
  EXPECT_EQ(pairs.Intern("job", "b"), second);
  EXPECT_EQ(pairs.size(), 3u);
  const NameId job = *pairs.FindName("job"), rank = *pairs.FindName("rank");
  EXPECT_EQ(pairs.name(job), "job");
  EXPECT_EQ(pairs.values(job).size(), 2u);

  // The last value of a name takes the name with it.
  pairs.Erase(first);
  EXPECT_EQ(pairs.FindName("job"), job);
  pairs.Erase(other);
  EXPECT_EQ(pairs.FindName("rank"), std::nullopt);
  EXPECT_EQ(pairs.Find("rank", "0"), std::nullopt);
  EXPECT_EQ(pairs.size(), 1u);
  const PairId again = pairs.Intern("gpu", "7");
  EXPECT_TRUE(again == first || again == other);
  EXPECT_EQ(pairs.FindName("gpu"), rank);
  EXPECT_EQ(pairs.pair(again).value, "7");
  EXPECT_EQ(pairs.pair(again).name, rank);
  EXPECT_TRUE(pairs.pair(again).postings.empty());
  EXPECT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs.names().size(), 2u);
}

TEST(Postings, GiveTheirMemoryBackWhenFewAreLeft) {
  Postings ids, gone;
  for (uint32_t id = 0; id < 100; ++id) {
    ids.push_back(id);
    if (id % 10 != 0) gone.push_back(id);
  }
  SubtractAndShrink(ids, gone);
  EXPECT_EQ(ids.size(), 10u);
  EXPECT_LT(ids.capacity(), 50u);
}

}  // namespace
}  // namespace lockstep
