#include "ingest/exposition/exposition_write.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace lockstep::exposition {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kNowMs = 5000;

std::vector<std::string> SeriesOf(const DecodedWrite& decoded) {
  std::vector<std::string> lines;
  for (const SeriesWrite& series : decoded.request.series) {
    std::string line = series.labels.ToString();
    for (const Sample& sample : series.samples) {
      line +=
          " " + testing::PrintToString(sample.value) + "@" + std::to_string(sample.timestamp_ms);
    }
    lines.push_back(line);
  }
  return lines;
}

DecodedWrite Lines(std::string_view text, const ExtraLabels& labels = {}) {
  auto decoded = DecodeTextLines(text, TextFormat::kPrometheus, {kNowMs, true, labels}, {});
  EXPECT_TRUE(decoded.ok()) << decoded.status();
  return decoded.ok() ? *std::move(decoded) : DecodedWrite();
}

TEST(ExpositionWriteTest, LinesBecomeSeries) {
  const DecodedWrite decoded = Lines(
      "# HELP up Whether it is.\n# TYPE up gauge\nup{job=\"a\"} 1\r\nup{job=\"a\"} 2 7000\n\nother "
      "3\n# EOF\n");
  EXPECT_THAT(SeriesOf(decoded), ElementsAre("up{job=\"a\"} 1@5000 2@7000", "other 3@5000"));
  ASSERT_EQ(decoded.metadata.size(), 1u);
  EXPECT_EQ(decoded.metadata[0].metric, "up");
  EXPECT_EQ(decoded.metadata[0].metadata.type, "gauge");
  EXPECT_EQ(decoded.metadata[0].metadata.help, "Whether it is.");
}

TEST(ExpositionWriteTest, BadLinesLeaveTheOthers) {
  const DecodedWrite decoded = Lines("a 1\nb x\n{c=\"d\"} 2\ne 3");
  EXPECT_THAT(SeriesOf(decoded), ElementsAre("a 1@5000", "e 3@5000"));
  EXPECT_EQ(decoded.refusals.sample_count(), 2u);
  EXPECT_THAT(decoded.refusals.ToString(), HasSubstr("line 2: "));
  EXPECT_THAT(decoded.refusals.ToString(), HasSubstr("line 3: "));
}

TEST(ExpositionWriteTest, LabelsOfTheRequestReplaceOthers) {
  ExtraLabels labels;
  labels.Set("job", "new");
  EXPECT_THAT(SeriesOf(Lines("up{job=\"old\"} 1", labels)), ElementsAre("up{job=\"new\"} 1@5000"));
}

TEST(ExpositionWriteTest, AsAWholeTheFirstBadLineCounts) {
  const ExtraLabels labels;
  const auto decoded =
      DecodeExposition("a 1\nb x\n", TextFormat::kPrometheus, {kNowMs, false, labels}, {});
  EXPECT_TRUE(absl::IsInvalidArgument(decoded.status()));
  EXPECT_THAT(std::string(decoded.status().message()), HasSubstr("line 2"));
}

TEST(ExpositionWriteTest, TimesMayBeUnwanted) {
  const ExtraLabels labels;
  const ExpositionTerms terms{kNowMs, false, labels};
  const auto decoded = DecodeExposition("a 1\nb 1 7\n", TextFormat::kPrometheus, terms, {});
  EXPECT_TRUE(absl::IsInvalidArgument(decoded.status()));
  EXPECT_THAT(std::string(decoded.status().message()),
              HasSubstr("line 2: a sample has a timestamp"));
}

TEST(ExpositionWriteTest, Protobuf) {
  // A family "up", a gauge of 1: name = 1, type = 3, metric = 4 { gauge = 2 { value = 1 } }.
  const std::string message(
      "\x0a\x02up\x18\x01\x22\x0b\x12\x09\x09\x00\x00\x00\x00\x00\x00\xf0\x3f", 19);
  const std::string body = static_cast<char>(message.size()) + message;
  ExtraLabels labels;
  labels.Set("job", "x");
  const auto decoded = DecodeExposition(body, std::nullopt, {kNowMs, false, labels}, {});
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_THAT(SeriesOf(*decoded), ElementsAre("up{job=\"x\"} 1@5000"));
  EXPECT_FALSE(
      DecodeExposition(body.substr(0, 10), std::nullopt, {kNowMs, false, labels}, {}).ok());
}

std::string MetadataOf(const DecodedWrite& decoded) {
  std::string text;
  for (const MetadataEntry& entry : decoded.metadata) {
    text += entry.metric + "|" + entry.metadata.type + "|" + entry.metadata.help + "|" +
            entry.metadata.unit + "\n";
  }
  return text;
}

TEST(ExpositionWriteTest, WhatIsSaidOfMetricsComesTogether) {
  const ExtraLabels labels;
  const auto decoded = DecodeExposition(
      "# HELP a_seconds say \\\"x\\\"\n# UNIT a_seconds seconds\n# TYPE b counter\n# EOF\n",
      TextFormat::kOpenMetrics, {kNowMs, true, labels}, {});
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(MetadataOf(*decoded), "a_seconds|unknown|say \"x\"|seconds\nb|counter||\n");
}

TEST(ExpositionWriteTest, LongMetadataIsLeftOut) {
  const ExtraLabels labels;
  const auto count = [&labels](size_t limit) {
    return DecodeTextLines("# HELP up 12345678", TextFormat::kPrometheus, {kNowMs, true, labels},
                           {.max_metadata_bytes = limit})
        ->metadata.size();
  };
  EXPECT_EQ(count(10), 1u);
  EXPECT_EQ(count(9), 0u);
}

TEST(ExpositionWriteTest, LinesWithAnUnwantedTimeAreRefused) {
  const ExtraLabels labels;
  const auto decoded = DecodeTextLines("a 1\nb 1 7\n\nc 1\r\n", TextFormat::kPrometheus,
                                       {kNowMs, false, labels}, {});
  ASSERT_TRUE(decoded.ok());
  EXPECT_THAT(SeriesOf(*decoded), ElementsAre("a 1@5000", "c 1@5000"));
  EXPECT_EQ(decoded->sample_count, 3u);
  EXPECT_THAT(decoded->refusals.ToString(),
              HasSubstr("line 2: a sample has a timestamp, but samples get their time of arrival"));
}

TEST(ExpositionWriteTest, LinesAreCountedWithEmptyOnes) {
  EXPECT_THAT(Lines("\n\r\n# x\nb x").refusals.ToString(), HasSubstr("line 4: "));
}

TEST(ExpositionWriteTest, LinesOfOpenMetricsHaveSeconds) {
  const ExtraLabels labels;
  const auto decoded = DecodeTextLines("a 1 1.5\na 2 2 # {id=\"x\"} 1\n", TextFormat::kOpenMetrics,
                                       {kNowMs, true, labels}, {});
  ASSERT_TRUE(decoded.ok());
  EXPECT_THAT(SeriesOf(*decoded), ElementsAre("a 1@1500 2@2000"));
  EXPECT_TRUE(decoded->exemplars.empty());
}

TEST(ExpositionWriteTest, TooManySeriesRefuseTheBody) {
  const ExtraLabels labels;
  const ExpositionTerms terms{kNowMs, true, labels};
  const IngestLimits limits = {.max_series_per_request = 1};
  EXPECT_TRUE(DecodeTextLines("a 1\na 2 7\n", TextFormat::kPrometheus, terms, limits).ok());
  EXPECT_TRUE(absl::IsOutOfRange(
      DecodeTextLines("a 1\nb 2\n", TextFormat::kPrometheus, terms, limits).status()));
  EXPECT_TRUE(absl::IsOutOfRange(
      DecodeExposition("a 1\nb 2\n", TextFormat::kPrometheus, terms, limits).status()));
}

TEST(ExpositionWriteTest, HistogramsOfProtobufAreBothNativeAndClassic) {
  // name "h", type 4 (histogram), metric { histogram = 7 { sample_count = 2, zero_count = 2,
  // bucket { cumulative_count 2, upper_bound 1 } } timestamp_ms = 7 }.
  const std::string histogram(
      "\x08\x02\x38\x02\x1a\x0b\x08\x02\x11\x00\x00\x00\x00\x00\x00\xf0\x3f", 17);
  const std::string metric = "\x3a\x11" + histogram + "\x30\x07";
  const std::string message = "\x0a\x01h\x18\x04\x22\x15" + metric;
  const ExtraLabels labels;
  const auto decoded = DecodeExposition(static_cast<char>(message.size()) + message, std::nullopt,
                                        {kNowMs, true, labels}, {});
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_THAT(SeriesOf(*decoded),
              ElementsAre("h", "h_count 2@7", "h_sum 0@7", "h_bucket{le=\"1.0\"} 2@7",
                          "h_bucket{le=\"+Inf\"} 2@7"));
  const HistogramSample& sample = decoded->request.series.at(0).histograms.at(0);
  EXPECT_EQ(sample.timestamp_ms, 7);
  EXPECT_EQ(sample.histogram->zero_count, 2);
  EXPECT_EQ(decoded->histogram_count, 1u);
}

}  // namespace
}  // namespace lockstep::exposition
