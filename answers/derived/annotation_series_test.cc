#include "answers/derived/annotation_series.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "answers/derived/derived_storage.h"
#include "tests/memory_storage.h"

namespace lockstep::answers {
namespace {

constexpr int64_t kFirstNoteMs = 1'700'000'000'000;
constexpr int64_t kDayMs = int64_t{24} * 3600 * 1000;

class AnnotationSeriesTest : public testing::Test {
 protected:
  static annotations::AnnotationChange Of(std::string id, int64_t from_s, int64_t to_s) {
    annotations::AnnotationChange change{.job = "j", .id = std::move(id)};
    change.kind = "evaluation";
    change.text = "t";
    change.start_ms = kFirstNoteMs + 1000 * from_s;
    change.end_ms = kFirstNoteMs + 1000 * to_s;
    return change;
  }
  void Put(const annotations::AnnotationChange& change) {
    const auto stored = store_.Put({change}, kFirstNoteMs);
    EXPECT_TRUE(stored.ok()) << stored.status();
  }

  // "labels: 0 15 20 end@35" in seconds after kFirstNoteMs, one series a line.
  std::string Selected(int64_t from_s, int64_t to_s,
                       SamplesNeeded needed = SamplesNeeded::kAll) const {
    const Matcher name = Matcher::Equal(std::string(kMetricName), "lockstep_annotation");
    const auto querier = derived_.NewQuerier();
    const auto set = (*querier)->Select(
        {{&name, 1}, {kFirstNoteMs + 1000 * from_s, kFirstNoteMs + 1000 * to_s}, nullptr, needed});
    EXPECT_TRUE(set.ok()) << set.status();
    std::string text;
    SampleColumns samples;
    while ((*set)->Next()) {
      samples.Clear();
      EXPECT_TRUE((*set)->Read(samples).ok());
      text += (*set)->labels().DropMetricName().ToString() + ":";
      for (size_t i = 0; i < samples.values.size(); ++i) {
        absl::StrAppendFormat(&text, " %s%d", IsStaleNan(samples.values[i]) ? "end@" : "",
                              (samples.timestamps_ms[i] - kFirstNoteMs) / 1000);
      }
      text += "\n";
    }
    return text;
  }

  MemoryStorage storage_;
  annotations::AnnotationTotal total_{nullptr};
  annotations::AnnotationStore store_{nullptr, total_};
  DerivedStorage derived_{storage_, 1, &store_};
};

constexpr const char* kLabels = "{job=\"j\", kind=\"evaluation\", text=\"t\"}";

TEST_F(AnnotationSeriesTest, ItIsOneWhileTheAnnotationLasts) {
  Put(Of("1", 100, 140));
  const std::string labels = kLabels;
  EXPECT_EQ(Selected(0, 1000), labels + ": 100 115 130 140 end@155\n");
  EXPECT_EQ(Selected(110, 1000), labels + ": 110 125 140 end@155\n");
  EXPECT_EQ(Selected(0, 120), labels + ": 100 115 120\n");
  EXPECT_EQ(Selected(0, 99), "");
  EXPECT_EQ(Selected(141, 1000), "");
  // An instant query after the end finds that it has ended.
  EXPECT_EQ(Selected(0, 1000, SamplesNeeded::kNewest), labels + ": 140 end@155\n");
  EXPECT_EQ(Selected(0, 120, SamplesNeeded::kNewest), labels + ": 120\n");
}

TEST_F(AnnotationSeriesTest, EqualLabelsMakeOneSeries) {
  Put(Of("moment", 50, 50));
  Put(Of("1", 100, 130));
  Put(Of("overlaps", 120, 140));
  Put(Of("soon", 150, 160));
  EXPECT_EQ(Selected(0, 1000),
            std::string(kLabels) + ": 50 end@65 100 115 130 140 150 160 end@175\n");
}

TEST_F(AnnotationSeriesTest, TagsAndOtherLabelsAreLabels) {
  annotations::AnnotationChange change = Of("1", 100, 100);
  change.job = "";
  change.tags = {{"a", "b"}};
  change.labels = LabelSet::Of({{"host", "n1"}});
  Put(change);
  EXPECT_EQ(Selected(0, 100),
            "{host=\"n1\", kind=\"evaluation\", tags=\"a,b\", text=\"t\"}: 100\n");
}

TEST_F(AnnotationSeriesTest, WhatHasNotEndedLastsToTheEndOfTheQuery) {
  annotations::AnnotationChange begun = Of("1", 100, 0);
  begun.end_ms.reset();
  Put(begun);
  EXPECT_EQ(Selected(0, 120), std::string(kLabels) + ": 100 115 120\n");
}

TEST_F(AnnotationSeriesTest, LongAnnotationsHaveAsManySamplesAsTheBudgetAllows) {
  annotations::AnnotationChange change = Of("1", 0, 0);
  change.end_ms = kFirstNoteMs + 300 * kDayMs;
  Put(change);
  std::vector<DerivedSeries> series;
  QueryBudget budget(30'000, QueryBudget::Clock::time_point::max());
  const Selection all{{}, kAllTimes};
  ASSERT_TRUE(AppendAnnotations(store_, all, budget, series).ok());
  EXPECT_LE(series.front().samples.size(), 20'003u);
  EXPECT_EQ(series.front().samples.timestamps_ms.front(), kFirstNoteMs);
  EXPECT_FALSE(AppendAnnotations(store_, all, budget, series).ok());
}

TEST_F(AnnotationSeriesTest, LabelsAreFoundWithoutATime) {
  Put(Of("1", 100, 140));
  const std::vector<Matcher> name = {
      Matcher::Equal(std::string(kMetricName), "lockstep_annotation")};
  const auto querier = derived_.NewQuerier();
  EXPECT_EQ(*(*querier)->LabelValues("kind", {name, kAllTimes, nullptr}),
            std::vector<std::string>{"evaluation"});
}

}  // namespace
}  // namespace lockstep::answers
