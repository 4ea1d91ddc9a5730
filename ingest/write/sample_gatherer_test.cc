#include "ingest/write/sample_gatherer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep {
namespace {

using testing::HasSubstr;

TEST(SampleGathererTest, SamplesOfOneSeriesComeTogether) {
  DecodedWrite out;
  out.memory.Begin(100, {});
  const IngestLimits limits;
  SampleGatherer gatherer(limits, out);
  std::vector<LabelView> first = {{"job", "x"}, {"__name__", "up"}, {"empty", ""}};
  std::vector<LabelView> again = {{"__name__", "up"}, {"job", "x"}};
  std::vector<LabelView> other = {{"__name__", "up"}};
  gatherer.Add(first, {1, 1.5}, "line 1");
  gatherer.Add(other, {1, 2.5}, "line 2");
  gatherer.Add(again, {2, 3.5}, "line 3");
  ASSERT_EQ(out.request.series.size(), 2u);
  EXPECT_EQ(out.request.series[0].labels, LabelSet::Of({{"__name__", "up"}, {"job", "x"}}));
  ASSERT_EQ(out.request.series[0].samples.size(), 2u);
  EXPECT_EQ(out.request.series[0].samples[1].value, 3.5);
  EXPECT_EQ(out.sample_count, 3u);
  EXPECT_EQ(out.series_count, 2u);
}

TEST(SampleGathererTest, WhatIsNoSeriesIsRefusedByItsPlace) {
  DecodedWrite out;
  const IngestLimits limits;
  SampleGatherer gatherer(limits, out);
  std::vector<LabelView> nameless = {{"job", "x"}};
  gatherer.Add(nameless, {1, 1}, "line 7");
  EXPECT_TRUE(out.request.series.empty());
  EXPECT_THAT(out.refusals.ToString(), HasSubstr("line 7: no metric name"));
}

TEST(SampleGathererTest, WithoutSamplesThereIsNoSeries) {
  DecodedWrite out;
  const IngestLimits limits;
  SampleGatherer gatherer(limits, out);
  std::vector<LabelView> labels = {{"__name__", "up"}};
  gatherer.Add(labels, std::span<const Sample>(), "series 1");
  EXPECT_TRUE(out.request.series.empty());
  EXPECT_EQ(out.series_count, 0u);
}

TEST(SampleGathererTest, LabelsAreCharged) {
  DecodedWrite out;
  const IngestLimits limits = {.free_label_bytes = 49};
  out.memory.Begin(0, limits);
  SampleGatherer gatherer(limits, out);
  const std::string value(40, 'x');
  std::vector<LabelView> labels = {{"__name__", value}};
  gatherer.Add(labels, {1, 1}, "line 1");
  EXPECT_TRUE(absl::IsOutOfRange(gatherer.status()));
}

}  // namespace
}  // namespace lockstep
