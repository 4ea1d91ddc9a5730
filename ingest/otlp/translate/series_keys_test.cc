#include "ingest/otlp/translate/series_keys.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace lockstep::otlp {
namespace {

std::pair<uint64_t, uint64_t> Pair(const SeriesKey& key) { return {key.high, key.low}; }

TEST(SeriesKeysTest, EverySeriesOfAPointHasASpellingOfItsOwn) {
  std::set<std::pair<uint64_t, uint64_t>> seen;
  size_t count = 0;
  for (const char* text : {"a", "b"}) {
    const Spelling point = SpellingOf(std::string_view(text));
    EXPECT_EQ(SpellingOf(point, SeriesPart::kWhole, 0), point);
    for (const SeriesPart part : {SeriesPart::kWhole, SeriesPart::kSum, SeriesPart::kCount}) {
      seen.insert(Pair(SpellingOf(point, part, 0)));
      ++count;
    }
    for (const double bound : {0.0, 0.5, 1.0, kNoBound}) {
      seen.insert(Pair(SpellingOf(point, SeriesPart::kBucket, bound)));
      ++count;
    }
  }
  EXPECT_EQ(seen.size(), count);
}

TEST(SeriesKeysTest, InsideAndOutsideAreNotTheSame) {
  const Spelling a = SpellingOf(std::string_view("a"));
  const Spelling b = SpellingOf(std::string_view("b"));
  EXPECT_NE(SpellingOf(a, b), SpellingOf(b, a));
  EXPECT_NE(SpellingOf(a, a), SpellingOf(b, b));
}

TEST(SeriesKeysTest, FindsWhatWasPutLast) {
  SeriesKeys keys;
  EXPECT_EQ(keys.Find({1, 2}), nullptr);
  keys.Put({1, 2}, {3, 4});
  keys.Put({1, 2}, {5, 6});
  keys.Put({2, 1}, {7, 8});
  ASSERT_NE(keys.Find({1, 2}), nullptr);
  EXPECT_EQ(*keys.Find({1, 2}), (SeriesKey{5, 6}));
  EXPECT_EQ(*keys.Find({2, 1}), (SeriesKey{7, 8}));
}

TEST(SeriesKeysTest, AboveTheLimitItForgets) {
  SeriesKeys keys;
  for (uint64_t i = 0; i < SeriesKeys::kMaxSpellings; ++i) keys.Put({i, i}, {i, 1});
  EXPECT_NE(keys.Find({0, 0}), nullptr);
  constexpr uint64_t kLast = SeriesKeys::kMaxSpellings;
  keys.Put({kLast, kLast}, {9, 9});
  EXPECT_EQ(keys.Find({0, 0}), nullptr);
  EXPECT_EQ(keys.Find({kLast - 1, kLast - 1}), nullptr);
  ASSERT_NE(keys.Find({kLast, kLast}), nullptr);
  EXPECT_EQ(*keys.Find({kLast, kLast}), (SeriesKey{9, 9}));
}

TEST(SeriesKeysPoolTest, LendsWhatWasGivenBackLast) {
  SeriesKeysPool pool;
  SeriesKeysPool::Loan first = pool.Take();
  SeriesKeysPool::Loan second = pool.Take();
  EXPECT_NE(first.get(), second.get());
  first->Put({1, 1}, {1, 1});
  second->Put({2, 2}, {2, 2});
  second.reset();
  first.reset();
  first = pool.Take();
  EXPECT_NE(first->Find({1, 1}), nullptr);
  second = pool.Take();
  EXPECT_NE(second->Find({2, 2}), nullptr);
  EXPECT_EQ(pool.Take()->Find({1, 1}), nullptr);
}

}  // namespace
}  // namespace lockstep::otlp
