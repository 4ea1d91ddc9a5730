#include "import/delivery/sample_sender.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "import/delivery/series_batch.h"
#include "import/delivery/session_testing.h"

namespace lockstep::importer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

WriteRequest OneSample(int64_t time_ms) {
  WriteRequest request;
  request.series.push_back({LabelSet::Of({{kMetricName, "a"}}), {{time_ms, 1}}, {}});
  return request;
}

TEST(SampleSenderTest, SendsCountsAndReports) {
  TestSession test;
  test.answer = [](const TestSession::Request&) {
    return Reply{204, "", "", "new=1, duplicate=2, overwritten=3"};
  };
  const ImportSession session = test.session();
  ImportReport report;
  SampleSender sender(session, report);
  ASSERT_TRUE(sender.Send(OneSample(5), {}, "here").ok());
  ASSERT_TRUE(sender.Send(OneSample(3), {}, "here").ok());
  EXPECT_THAT(test.samples(), ElementsAre("a 1@5", "a 1@3"));
  EXPECT_EQ(report.counts.samples(), 2u);
  EXPECT_EQ(report.counts.series(), 1u);
  EXPECT_EQ(report.counts.first_ms(), 3);
  EXPECT_EQ(report.counts.last_ms(), 5);
  ASSERT_TRUE(report.fates.has_value());
  EXPECT_EQ(*report.fates, (SampleFates{2, 4, 6}));
  EXPECT_EQ(report.new_samples(), 2u);
  EXPECT_EQ(test.progress_count, 2);
  EXPECT_TRUE(report.is_whole());
}

TEST(SampleSenderTest, SendsMetadataAlone) {
  TestSession test;
  const ImportSession session = test.session();
  ImportReport report;
  SampleSender sender(session, report);
  ASSERT_TRUE(sender.Send({}, {}, "here").ok());
  EXPECT_THAT(test.requests, IsEmpty());
  ASSERT_TRUE(sender.Send({}, {{"a", {"gauge", "help", ""}}}, "here").ok());
  EXPECT_EQ(test.requests.size(), 1u);
  EXPECT_EQ(test.requests[0].path, "/api/v1/write");
  EXPECT_FALSE(report.fates.has_value());
}

TEST(SampleSenderTest, ADryRunCountsAlone) {
  TestSession test;
  test.is_dry_run = true;
  const ImportSession session = test.session();
  ImportReport report;
  SampleSender sender(session, report);
  ASSERT_TRUE(sender.Send(OneSample(5), {{"a", {"gauge", "", ""}}}, "here").ok());
  EXPECT_THAT(test.requests, IsEmpty());
  EXPECT_EQ(report.counts.samples(), 1u);
  EXPECT_EQ(report.new_samples(), 1u);
  EXPECT_EQ(test.progress_count, 1);
}

TEST(SampleSenderTest, GoesOnAfterARequestThatWasTakenInPart) {
  TestSession test;
  test.answer = [](const TestSession::Request&) { return Reply{400, "", "too old\n"}; };
  const ImportSession session = test.session();
  ImportReport report;
  SampleSender sender(session, report);
  EXPECT_TRUE(sender.Send(OneSample(5), {}, "lines 1 to 2").ok());
  EXPECT_TRUE(sender.Send(OneSample(6), {}, "lines 3 to 4").ok());
  EXPECT_EQ(report.refused, 2u);
  EXPECT_FALSE(report.is_whole());
  EXPECT_THAT(test.complaints, ElementsAre("lines 1 to 2: the server answered 400: too old",
                                           "lines 3 to 4: the server answered 400: too old"));
}

TEST(SampleSenderTest, StopsIfTheServerRefuses) {
  for (const int status : {199, 300, 399, 401, 403, 404}) {
    TestSession test;
    test.answer = [status](const TestSession::Request&) { return Reply{status, "", "no"}; };
    const ImportSession session = test.session();
    ImportReport report;
    SampleSender sender(session, report);
    const absl::Status sent = sender.Send(OneSample(5), {}, "here");
    EXPECT_TRUE(absl::IsFailedPrecondition(sent)) << status;
    EXPECT_EQ(Message(sent), absl::StrFormat("the server answered %d: no", status));
    EXPECT_EQ(report.counts.samples(), 0u);
    EXPECT_EQ(report.refused, 0u);
  }
}

TEST(SampleCountsTest, CountsHistogramsAndSteps) {
  WriteRequest request;
  request.series.push_back({LabelSet::Of({{kMetricName, "lockstep_step"}}), {{7, 1}, {8, 2}}, {}});
  request.series.push_back({LabelSet::Of({{kMetricName, "h"}}), {}, {}});
  HistogramSample histogram;
  histogram.timestamp_ms = 2;
  request.series.back().histograms = {histogram, histogram};
  histogram.timestamp_ms = 99;
  request.series.back().histograms.push_back(histogram);
  SampleCounts counts;
  EXPECT_FALSE(counts.first_ms().has_value());
  EXPECT_FALSE(counts.last_ms().has_value());
  counts.Add(request);
  EXPECT_EQ(counts.samples(), 5u);
  EXPECT_EQ(counts.steps(), 2u);
  EXPECT_EQ(counts.series(), 2u);
  EXPECT_EQ(counts.first_ms(), 2);
  EXPECT_EQ(counts.last_ms(), 99);
}

TEST(ImportReportTest, IsWholeIfNothingIsMissing) {
  ImportReport report;
  EXPECT_TRUE(report.is_whole());
  report.left_out = 1;
  EXPECT_FALSE(report.is_whole());
  report = {};
  report.refused = 1;
  EXPECT_FALSE(report.is_whole());
  report = {};
  report.is_cut = true;
  EXPECT_FALSE(report.is_whole());
}

SampleColumns Columns(int64_t count, int64_t first_ms = 0) {
  SampleColumns columns;
  for (int64_t i = 0; i < count; ++i) columns.Append(first_ms + i, 1);
  return columns;
}

TEST(SeriesBatchTest, SendsTenThousandSamplesAtOnce) {
  TestSession test;
  const ImportSession session = test.session();
  ImportReport report;
  SampleSender sender(session, report);
  SeriesBatch batch(sender);
  const LabelSet a = LabelSet::Of({{kMetricName, "a"}});
  const LabelSet b = LabelSet::Of({{kMetricName, "b"}});
  EXPECT_TRUE(batch.empty());
  ASSERT_TRUE(batch.Add(a, Columns(9'999)).ok());
  ASSERT_TRUE(batch.Add(b, Columns(1)).ok());
  EXPECT_THAT(test.requests, IsEmpty());
  EXPECT_FALSE(batch.empty());
  ASSERT_TRUE(batch.Add(b, Columns(1, 77)).ok());
  EXPECT_EQ(test.requests.size(), 1u);
  EXPECT_EQ(report.counts.samples(), 10'000u);
  ASSERT_TRUE(batch.Flush().ok());
  EXPECT_TRUE(batch.empty());
  ASSERT_TRUE(batch.Flush().ok());
  EXPECT_EQ(test.requests.size(), 2u);
  EXPECT_EQ(report.counts.samples(), 10'001u);
  EXPECT_EQ(test.samples().back(), "b 1@77");
}

TEST(SeriesBatchTest, HistogramsCountToo) {
  TestSession test;
  const ImportSession session = test.session();
  ImportReport report;
  SampleSender sender(session, report);
  SeriesBatch batch(sender);
  SampleColumns columns = Columns(9'999);
  const auto histogram = std::make_shared<const Histogram>();
  columns.histograms = {{20'000, histogram, 0}, {20'001, histogram, 0}};
  ASSERT_TRUE(batch.Add(LabelSet::Of({{kMetricName, "a"}}), columns).ok());
  EXPECT_EQ(test.requests.size(), 1u);
  ASSERT_TRUE(batch.Flush().ok());
  EXPECT_EQ(report.counts.samples(), 10'001u);
  EXPECT_EQ(report.counts.series(), 1u);
}

TEST(SeriesBatchTest, ComplaintsNameTheFirstSeries) {
  TestSession test;
  test.answer = [](const TestSession::Request&) { return Reply{400, "", "no"}; };
  const ImportSession session = test.session();
  ImportReport report;
  SampleSender sender(session, report);
  SeriesBatch batch(sender);
  ASSERT_TRUE(batch.Add(LabelSet::Of({{kMetricName, "a"}}), Columns(2)).ok());
  ASSERT_TRUE(batch.Add(LabelSet::Of({{kMetricName, "b"}}), Columns(1)).ok());
  ASSERT_TRUE(batch.Flush().ok());
  ASSERT_TRUE(batch.Add(LabelSet::Of({{kMetricName, "b"}}), Columns(1)).ok());
  ASSERT_TRUE(batch.Flush().ok());
  EXPECT_THAT(test.complaints, ElementsAre("3 samples from a on: the server answered 400: no",
                                           "1 samples from b on: the server answered 400: no"));
}

TEST(SeriesBatchTest, FailsIfTheSenderDoes) {
  TestSession test;
  test.answer = [](const TestSession::Request&) { return Reply{403, "", "no"}; };
  const ImportSession session = test.session();
  ImportReport report;
  SampleSender sender(session, report);
  SeriesBatch batch(sender);
  EXPECT_FALSE(batch.Add(LabelSet::Of({{kMetricName, "a"}}), Columns(10'001)).ok());
  EXPECT_FALSE(batch.Flush().ok());
}

}  // namespace
}  // namespace lockstep::importer
