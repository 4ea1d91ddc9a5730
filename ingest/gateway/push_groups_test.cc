#include "ingest/gateway/push_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace lockstep::gateway {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

const LabelSet kGroup = LabelSet::Of({{"job", "nightly"}});

LabelSet Named(std::string_view name, std::string_view rank = "") {
  return LabelSet::Of({{"__name__", name}, {"job", "nightly"}, {"rank", rank}});
}

class PushGroupsTest : public testing::Test {
 protected:
  // Pushes these series and returns the series that end.
  std::vector<std::string> Push(PushKind kind, const std::vector<LabelSet>& series,
                                bool is_stored = true, const LabelSet& group = kGroup) {
    DecodedWrite write;
    for (const LabelSet& one : series) write.request.series.push_back({one, {{++time_ms_, 1}}, {}});
    const PushChange change = groups_.Begin(group, kind, time_ms_, write);
    groups_.End(change, is_stored);
    std::vector<std::string> ended;
    for (size_t i = series.size(); i < write.request.series.size(); ++i) {
      const SeriesWrite& marker = write.request.series[i];
      EXPECT_EQ(marker.samples.size() + marker.histograms.size(), 1u);
      if (!marker.samples.empty()) {
        EXPECT_TRUE(IsStaleNan(marker.samples[0].value));
        EXPECT_EQ(marker.samples[0].timestamp_ms, time_ms_);
      }
      ended.push_back(marker.labels.ToString());
    }
    return ended;
  }

  PushGroups groups_{3};
  int64_t time_ms_ = 1000;
};

TEST_F(PushGroupsTest, ReplacingEndsWhatIsNotThere) {
  EXPECT_THAT(Push(PushKind::kReplace, {Named("a"), Named("b", "0"), Named("b", "1")}), IsEmpty());
  EXPECT_THAT(Push(PushKind::kReplace, {Named("b", "1"), Named("c")}),
              UnorderedElementsAre("a{job=\"nightly\"}", "b{job=\"nightly\", rank=\"0\"}"));
  EXPECT_THAT(Push(PushKind::kReplace, {Named("b", "1"), Named("c")}), IsEmpty());
}

TEST_F(PushGroupsTest, UpdatingEndsSeriesOfItsNames) {
  Push(PushKind::kReplace, {Named("a"), Named("b", "0"), Named("b", "1")});
  EXPECT_THAT(Push(PushKind::kUpdate, {Named("b", "1")}),
              ElementsAre("b{job=\"nightly\", rank=\"0\"}"));
  EXPECT_THAT(Push(PushKind::kReplace, {}),
              UnorderedElementsAre("a{job=\"nightly\"}", "b{job=\"nightly\", rank=\"1\"}"));
}

TEST_F(PushGroupsTest, DeletingEndsAllAndForgets) {
  Push(PushKind::kReplace, {Named("a"), Named("b")});
  EXPECT_EQ(Push(PushKind::kDelete, {}).size(), 2u);
  EXPECT_EQ(groups_.size(), 0u);
  EXPECT_THAT(Push(PushKind::kDelete, {}), IsEmpty());
  EXPECT_EQ(groups_.size(), 0u);
}

TEST_F(PushGroupsTest, WhatWasNotStoredHappensAgain) {
  Push(PushKind::kReplace, {Named("a")});
  EXPECT_THAT(Push(PushKind::kReplace, {Named("b")}, false), ElementsAre("a{job=\"nightly\"}"));
  EXPECT_THAT(Push(PushKind::kReplace, {Named("c")}), ElementsAre("a{job=\"nightly\"}"));
  EXPECT_THAT(Push(PushKind::kDelete, {}, false), ElementsAre("c{job=\"nightly\"}"));
  EXPECT_THAT(Push(PushKind::kDelete, {}), ElementsAre("c{job=\"nightly\"}"));
}

TEST_F(PushGroupsTest, GroupsAreApart) {
  const LabelSet other = LabelSet::Of({{"instance", "x"}, {"job", "nightly"}});
  Push(PushKind::kReplace, {Named("a")});
  EXPECT_THAT(Push(PushKind::kReplace, {Named("b")}, true, other), IsEmpty());
  EXPECT_THAT(Push(PushKind::kDelete, {}, true, other), ElementsAre("b{job=\"nightly\"}"));
}

TEST_F(PushGroupsTest, NativeHistogramsEndAsSuch) {
  DecodedWrite write;
  write.request.series.push_back({Named("h"), {}, {{1, std::make_shared<const Histogram>()}}});
  groups_.End(groups_.Begin(kGroup, PushKind::kReplace, 1, write), true);
  DecodedWrite next;
  groups_.Begin(kGroup, PushKind::kReplace, 2, next);
  ASSERT_EQ(next.request.series.size(), 1u);
  ASSERT_EQ(next.request.series[0].histograms.size(), 1u);
  EXPECT_TRUE(IsStaleNan(next.request.series[0].histograms[0].histogram->sum));
  EXPECT_EQ(next.histogram_count, 1u);
}

TEST_F(PushGroupsTest, TheGroupThatWasQuietForLongestIsForgotten) {
  for (const char* name : {"a", "b", "c"}) {
    Push(PushKind::kReplace, {Named("m")}, true, LabelSet::Of({{"job", name}}));
  }
  EXPECT_EQ(Push(PushKind::kReplace, {}, true, LabelSet::Of({{"job", "a"}})).size(), 1u);
  Push(PushKind::kReplace, {Named("m")}, true, LabelSet::Of({{"job", "d"}}));
  EXPECT_EQ(groups_.size(), 3u);
  EXPECT_THAT(Push(PushKind::kReplace, {}, true, LabelSet::Of({{"job", "b"}})), IsEmpty());
}

TEST(PushGroupsSeriesTest, AreBounded) {
  PushGroups groups(10, 3);
  const auto push = [&groups](const char* job, int count) {
    DecodedWrite write;
    for (int i = 0; i < count; ++i) {
      write.request.series.push_back({Named("m", std::to_string(i)), {{1, 1}}, {}});
    }
    const PushChange change =
        groups.Begin(LabelSet::Of({{"job", job}}), PushKind::kReplace, 1, write);
    groups.End(change, true);
    return change.added.size();
  };
  EXPECT_EQ(push("a", 2), 2u);
  EXPECT_EQ(push("b", 1), 1u);
  EXPECT_EQ(push("c", 1), 1u);  // evicts a
  EXPECT_EQ(groups.size(), 2u);
  EXPECT_EQ(push("d", 5), 3u);
  EXPECT_EQ(groups.size(), 1u);
  EXPECT_EQ(push("d", 0), 0u);
  EXPECT_EQ(push("e", 3), 3u);
}

TEST_F(PushGroupsTest, FailuresAreRemembered) {
  EXPECT_EQ(groups_.failure_seconds(kGroup), 0);
  groups_.SetFailure(kGroup, 12.5);
  EXPECT_EQ(groups_.failure_seconds(kGroup), 12.5);
}

TEST_F(PushGroupsTest, WhatEndsCountsAmongTheWrite) {
  Push(PushKind::kReplace, {Named("a"), Named("b")});
  DecodedWrite write;
  const PushChange change = groups_.Begin(kGroup, PushKind::kReplace, 5, write);
  EXPECT_EQ(write.series_count, 2u);
  EXPECT_EQ(write.sample_count, 2u);
  EXPECT_EQ(write.histogram_count, 0u);
  EXPECT_EQ(change.ended.size(), 2u);
  EXPECT_TRUE(change.added.empty());
  EXPECT_EQ(change.group, kGroup);
}

TEST_F(PushGroupsTest, SeriesThatEndedMakeRoom) {
  PushGroups groups(10, 3);
  const auto push = [&groups](const std::vector<LabelSet>& series) {
    DecodedWrite write;
    for (const LabelSet& one : series) write.request.series.push_back({one, {{1, 1}}, {}});
    const PushChange change = groups.Begin(kGroup, PushKind::kReplace, 1, write);
    groups.End(change, true);
    return change.added.size();
  };
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(push({Named("a", std::to_string(i)), Named("b", std::to_string(i))}), 2u) << i;
    EXPECT_EQ(push({}), 0u);
  }
}

TEST_F(PushGroupsTest, AGroupThatIsGoneMeanwhileIsLeftAlone) {
  DecodedWrite write;
  write.request.series.push_back({Named("a"), {{1, 1}}, {}});
  const PushChange change = groups_.Begin(kGroup, PushKind::kReplace, 1, write);
  for (const char* name : {"x", "y", "z"}) {
    Push(PushKind::kReplace, {Named("m")}, true, LabelSet::Of({{"job", name}}));
  }
  groups_.End(change, true);
  EXPECT_EQ(groups_.size(), 3u);
}

TEST_F(PushGroupsTest, ADeletedGroupThatGotSeriesMeanwhileStays) {
  Push(PushKind::kReplace, {Named("a")});
  DecodedWrite deletion, push;
  const PushChange deleted = groups_.Begin(kGroup, PushKind::kDelete, 1, deletion);
  push.request.series.push_back({Named("b"), {{2, 1}}, {}});
  const PushChange pushed = groups_.Begin(kGroup, PushKind::kUpdate, 2, push);
  groups_.End(deleted, true);
  EXPECT_EQ(groups_.size(), 1u);
  groups_.End(pushed, true);
  EXPECT_THAT(Push(PushKind::kReplace, {}), ElementsAre("b{job=\"nightly\"}"));
}

}  // namespace
}  // namespace lockstep::gateway
