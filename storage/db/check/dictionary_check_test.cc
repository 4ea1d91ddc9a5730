#include "storage/db/check/dictionary_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "storage/db/series/dictionary_row.h"
#include "storage/kv/key_schema.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DictionaryCheckTest : public ::testing::Test {
 protected:
  void Add(kv::DictionaryKind kind, uint32_t number, const std::string& value) {
    check_.AddRow(kind, kv::EncodeDictionaryKey(kind, number), value);
  }
  void AddMetric(uint32_t number) {
    Add(kv::DictionaryKind::kMetric, number, EncodePartRow(LabelSet::Of({{kMetricName, "m"}})));
  }
  void AddTarget(uint32_t number) {
    Add(kv::DictionaryKind::kTarget, number, EncodePartRow(LabelSet::Of({{"job", "a"}})));
  }
  void AddSeries(SeriesId row, const std::vector<SeriesEntry>& entries) {
    Add(kv::DictionaryKind::kSeries, row, EncodeSeriesRow(row, entries));
  }

  std::vector<std::string> damage_;
  DictionaryCheck check_{[this](const std::string& where, const std::string& what) {
    damage_.push_back(where + ": " + what);
  }};
};

TEST_F(DictionaryCheckTest, KnowsSeriesAndTheirPlaces) {
  AddMetric(3);
  AddTarget(4);
  AddTarget(5);
  AddSeries(7, {{7, {4, 3}, {1, 0}}, {8, {5, 3}, {1, 1}}});
  AddSeries(9, {{9, {4, 3}, {2, 1}}});
  EXPECT_THAT(damage_, IsEmpty());
  EXPECT_EQ(check_.ids().size(), 3u);
  EXPECT_TRUE(check_.ids().contains(8));
  ASSERT_NE(check_.places().Find({1, 1}), nullptr);
  EXPECT_EQ(*check_.places().Find({1, 1}), 8u);
  EXPECT_EQ(check_.places().Find({2, 0}), nullptr);
}

TEST_F(DictionaryCheckTest, SaysWhichRowIsDamaged) {
  Add(kv::DictionaryKind::kMetric, 3, "x");
  Add(kv::DictionaryKind::kTarget, 4, "x");
  Add(kv::DictionaryKind::kSeries, 7, "x");
  check_.AddRow(kv::DictionaryKind::kTarget, "x", "");
  Add(kv::DictionaryKind::kTarget, UINT32_MAX, "");
  EXPECT_THAT(damage_, ElementsAre("dictionary metric 3: it has an unknown version",
                                   "dictionary target 4: it has an unknown version",
                                   "dictionary series from 7: it has an unknown version",
                                   "dictionary: a malformed key", "dictionary: a malformed key"));
  // What is missing because of that was reported.
  damage_.clear();
  AddSeries(8, {{8, {4, 3}, {1, 0}}});
  EXPECT_THAT(damage_, IsEmpty());
}

TEST_F(DictionaryCheckTest, SaysWhatASeriesLacks) {
  AddMetric(3);
  AddTarget(4);
  AddSeries(7, {{7, {5, 3}, {1, 0}}, {8, {4, 6}, {1, 1}}, {9, {4, 3}, {1, 0}}});
  EXPECT_THAT(damage_,
              ElementsAre("dictionary series 7: it belongs to target 5, which has no row",
                          "dictionary series 8: it belongs to metric 6, which has no row",
                          "dictionary series 9: series 7 has the same place, family 1 ordinal 0"));
}

TEST_F(DictionaryCheckTest, SaysWhichSeriesIsInTwoRows) {
  AddMetric(3);
  AddTarget(4);
  AddSeries(7, {{7, {4, 3}, {1, 0}}, {9, {4, 3}, {1, 1}}});
  AddSeries(8, {{8, {4, 3}, {1, 2}}, {9, {4, 3}, {1, 3}}, {10, {4, 3}, {1, 4}}});
  EXPECT_THAT(damage_, ElementsAre("dictionary series 8: it is in two rows",
                                   "dictionary series 9: it is in two rows"));
  EXPECT_EQ(check_.places().Find({1, 3}), nullptr);
  EXPECT_NE(check_.places().Find({1, 4}), nullptr);
}

}  // namespace
}  // namespace lockstep
