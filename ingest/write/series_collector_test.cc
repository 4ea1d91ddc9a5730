// Which series a request may have: labels, and what comes with them.
#include "ingest/write/series_collector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ingest/histogram/histogram_message.h"
#include "ingest/write/label_check.h"
#include "model/tenant.h"
#include "protozero/pbf_writer.hpp"

namespace lockstep {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

std::string Complaint(std::vector<LabelView> labels, const IngestLimits& limits = {}) {
  const auto bad = CheckLabels(labels, limits);
  return bad.has_value() ? std::string(Name(bad->reason)) + ": " + bad->why : "";
}

TEST(LabelCheckTest, AtALimitAndBeyondIt) {
  const IngestLimits limits = {
      .max_labels_per_series = 2, .max_label_name_bytes = 8, .max_label_value_bytes = 3};
  EXPECT_EQ(Complaint({{"__name__", "abc"}, {"a", "b"}}, limits), "");
  EXPECT_EQ(Complaint({{"__name__", "abc"}, {"a", "b"}, {"b", "c"}}, limits),
            "too_many_labels: 3 labels exceed the limit of 2");
  EXPECT_EQ(Complaint({{"__name__", "abcd"}}, limits),
            "label_too_long: a label value of 4 bytes is longer than the limit of 3");
  EXPECT_EQ(Complaint({{"__name__", "abc"}, {"long_name", "a"}}, limits),
            "label_too_long: a label name of 9 bytes is longer than the limit of 8");
}

TEST(LabelCheckTest, WhatNoSeriesMayHave) {
  EXPECT_EQ(Complaint({}), "no_metric_name: no metric name (label \"__name__\")");
  EXPECT_EQ(Complaint({{"__name__", ""}}), "no_metric_name: no metric name (label \"__name__\")");
  EXPECT_EQ(Complaint({{"", "a"}, {"__name__", "a"}}), "empty_label_name: empty label name");
  EXPECT_EQ(Complaint({{kTenantLabel, "a"}, {"__name__", "a"}}),
            "reserved_label_name: a label name of one zero byte is reserved for tenants");
  EXPECT_EQ(Complaint({{"__name__", "a"}, {"x", "1"}, {"x", "2"}}),
            "duplicate_label: duplicate label name \"x\"");
  EXPECT_EQ(Complaint({{"__name__", "a"}, {"\xff", "1"}}),
            "invalid_utf8: a label name is not valid UTF-8");
  EXPECT_EQ(Complaint({{"__name__", "a"}, {"x", "\xff"}}),
            "invalid_utf8: the value of label \"x\" is not valid UTF-8");
}

TEST(LabelCheckTest, SpellingOfVersionTwo) {
  const auto complaint = [](std::vector<LabelView> labels) {
    const auto bad = CheckSpelling(labels);
    return bad.has_value() ? std::string(Name(bad->reason)) + ": " + bad->why : "";
  };
  EXPECT_EQ(complaint({{"a", "1"}, {"b", "1"}}), "");
  EXPECT_EQ(complaint({{"a", "1"}, {"a", "1"}}), "");  // another rule's business
  EXPECT_EQ(complaint({{"b", "1"}, {"a", "1"}}), "unsorted_labels: label names are not in order");
  EXPECT_EQ(complaint({{"a", "1"}, {"b", ""}}), "empty_label_value: a label value is empty");
}

TEST(LabelCheckTest, SortingKeepsTheOrderOfEqualNames) {
  std::vector<LabelView> labels = {{"b", "1"}, {"a", "2"}, {"b", "0"}, {"a", "1"}};
  SortLabels(labels);
  EXPECT_EQ(labels, (std::vector<LabelView>{{"a", "2"}, {"a", "1"}, {"b", "1"}, {"b", "0"}}));
}

std::string HistogramMessage(double count) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  Histogram h;
  h.count = count;
  h.positive_spans = {{0, 1}};
  h.positive_counts = {count};
  PutHistogram({1000, std::make_shared<const Histogram>(h)}, message);
  return bytes;
}

class SeriesCollectorTest : public testing::Test {
 protected:
  SeriesCollectorTest() { out_.memory.Begin(1000, limits_); }
  void Add(std::vector<LabelView> labels, std::vector<Sample> samples,
           std::vector<std::string_view> histograms = {}, std::vector<Exemplar> exemplars = {}) {
    SeriesWrite series;
    series.samples = std::move(samples);
    collector_.Add(std::move(series), labels, histograms, std::move(exemplars));
  }

  IngestLimits limits_;
  DecodedWrite out_;
  SeriesCollector collector_{limits_, out_};
};

TEST_F(SeriesCollectorTest, ASeriesHasSortedLabelsWithoutEmptyOnes) {
  const std::string message = HistogramMessage(2);
  Add({{"b", ""}, {"a", "1"}, {"__name__", "m"}}, {{1, 2}, {2, 3}}, {message});
  ASSERT_THAT(out_.request.series, SizeIs(1));
  const SeriesWrite& series = out_.request.series[0];
  EXPECT_EQ(series.labels.ToString(), "m{a=\"1\"}");
  EXPECT_THAT(series.samples, SizeIs(2));
  ASSERT_THAT(series.histograms, SizeIs(1));
  EXPECT_EQ(series.histograms[0].histogram->count, 2);
  EXPECT_EQ(out_.sample_count, 2u);
  EXPECT_EQ(out_.histogram_count, 1u);
  EXPECT_TRUE(out_.refusals.empty());
}

TEST_F(SeriesCollectorTest, ASeriesWithBadLabelsCountsAsRefused) {
  const std::string message = HistogramMessage(2);
  Add({{"a", "1"}}, {{1, 2}, {2, 3}}, {message, message});
  EXPECT_THAT(out_.request.series, SizeIs(0));
  EXPECT_EQ(out_.sample_count, 2u);
  EXPECT_EQ(out_.histogram_count, 2u);
  EXPECT_EQ(out_.refusals.sample_count(), 4u);
  EXPECT_EQ(out_.refusals.count(), 1u);
}

TEST_F(SeriesCollectorTest, ABadHistogramLeavesTheOthers) {
  const std::string good = HistogramMessage(2);
  const std::string bad = HistogramMessage(-2);
  limits_.max_histogram_bytes = good.size();
  const std::string long_one = good + std::string("\x98\x06\x01", 3);  // an unknown field
  Add({{"__name__", "m"}}, {}, {bad, long_one, good});
  ASSERT_THAT(out_.request.series, SizeIs(1));
  EXPECT_THAT(out_.request.series[0].histograms, SizeIs(1));
  EXPECT_EQ(out_.histogram_count, 3u);
  EXPECT_EQ(out_.refusals.samples_by_reason()[static_cast<size_t>(RejectReason::kBadHistogram)],
            2u);
  EXPECT_THAT(out_.refusals.ToString(), HasSubstr("{__name__=\"m\"}: bucket number 1 has"));
  EXPECT_THAT(out_.refusals.ToString(), HasSubstr("bytes is longer than the limit of"));
}

TEST_F(SeriesCollectorTest, ExemplarsMayComeAlone) {
  Add({{"__name__", "m"}}, {}, {}, {{{}, 1, 1000}});
  EXPECT_THAT(out_.request.series, SizeIs(0));
  ASSERT_THAT(out_.exemplars, SizeIs(1));
  EXPECT_EQ(out_.exemplars[0].series.ToString(), "m");
  // Without anything, nothing comes.
  Add({{"__name__", "m"}}, {});
  EXPECT_THAT(out_.exemplars, SizeIs(1));
  EXPECT_TRUE(out_.refusals.empty());
}

TEST_F(SeriesCollectorTest, ExemplarsAreLimitedPerRequest) {
  limits_.max_exemplars_per_request = 5;
  EXPECT_EQ(collector_.AdmitExemplars(3), 3u);
  EXPECT_EQ(collector_.AdmitExemplars(3), 2u);
  EXPECT_EQ(collector_.AdmitExemplars(3), 0u);
  EXPECT_EQ(out_.exemplar_count, 9u);
}

TEST_F(SeriesCollectorTest, NothingIsAddedOverTheLimitOfLabels) {
  limits_.free_label_bytes = 20;
  limits_.max_label_expansion = 0;
  out_.memory.Begin(1000, limits_);
  Add({{"__name__", "123456789012"}}, {{1, 2}});
  EXPECT_THAT(out_.request.series, SizeIs(1));
  Add({{"__name__", "m"}}, {{1, 2}});
  EXPECT_THAT(out_.request.series, SizeIs(1));
  Add({{"a", ""}}, {{1, 2}});
  EXPECT_EQ(out_.sample_count, 3u);
  EXPECT_TRUE(out_.refusals.empty());
  EXPECT_TRUE(absl::IsOutOfRange(out_.memory.status()));
}

}  // namespace
}  // namespace lockstep
