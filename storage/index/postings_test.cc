#include "storage/index/postings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>

namespace lockstep {
namespace {

using Set = std::set<SeriesId>;

Set RandomSet(std::mt19937& random, size_t max_size) {
  Set ids;
  const SeriesId range = 1 + random() % 2000;
  for (size_t i = random() % max_size; i > 0; --i) ids.insert(random() % range);
  return ids;
}

Postings AsPostings(const Set& ids) { return {ids.begin(), ids.end()}; }

TEST(Postings, IntersectAndSubtractAgreeWithSets) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    // Very different sizes, so that galloping takes long steps.
    const Set a = RandomSet(random, round % 2 == 0 ? 5 : 500);
    const Set b = RandomSet(random, round % 3 == 0 ? 5 : 1000);
    Postings common, only_a;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only_a));
    Postings ids = AsPostings(a);
    Intersect(ids, AsPostings(b));
    ASSERT_EQ(ids, common);
    ids = AsPostings(a);
    Subtract(ids, AsPostings(b));
    ASSERT_EQ(ids, only_a);
  }
}

TEST(Postings, UnionAgreesWithASet) {
  std::mt19937 random(2);
  for (size_t list_count = 0; list_count < 40; ++list_count) {
    std::vector<Postings> lists(list_count);
    Set all;
    for (size_t i = random() % 2000; i > 0 && list_count > 0; --i) {
      const SeriesId id = random();
      if (all.insert(id).second) Insert(lists[random() % list_count], id);
    }
    const std::vector<PostingsView> views(lists.begin(), lists.end());
    EXPECT_EQ(UnionOfDisjoint(views), AsPostings(all)) << list_count;
  }
}

TEST(Postings, InsertKeepsAnyOrderOfArrivalSorted) {
  Postings ids;
  for (const SeriesId id : {5u, 9u, 2u, 7u, 0u, 4294967295u, 6u}) Insert(ids, id);
  EXPECT_EQ(ids, (Postings{0, 2, 5, 6, 7, 9, 4294967295u}));
}

}  // namespace
}  // namespace lockstep
