#include "api/prometheus/remote_read_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/coding.h"
#include "export/read_response.h"
#include "tests/memory_storage.h"

namespace lockstep::api {
namespace {

using testing::HasSubstr;

// Fields of a protobuf message.
void PutNumber(std::string& message, uint64_t field, int64_t value) {
  PutVarint64(message, field << 3);
  PutVarint64(message, static_cast<uint64_t>(value));
}
void PutBytes(std::string& message, uint64_t field, std::string_view value) {
  PutVarint64(message, field << 3 | 2);
  PutLengthPrefixed(message, value);
}

// A query of prometheus.ReadRequest for one metric.
std::string QueryOf(std::string_view metric, int64_t start_ms, int64_t end_ms) {
  std::string matcher;
  PutNumber(matcher, 1, 0);
  PutBytes(matcher, 2, "__name__");
  PutBytes(matcher, 3, metric);
  std::string query;
  PutNumber(query, 1, start_ms);
  PutNumber(query, 2, end_ms);
  PutBytes(query, 3, matcher);
  return query;
}

constexpr int64_t kAsSamples = 0;
constexpr int64_t kAsChunks = 1;

std::string RequestOf(const std::vector<std::string>& queries, int64_t type) {
  std::string request;
  for (const std::string& query : queries) PutBytes(request, 1, query);
  PutNumber(request, 2, type);
  return SnappyBlock(request);
}

LabelSet SeriesOf(std::string_view metric, std::string_view job) {
  return LabelSet::Of({{"__name__", metric}, {"job", job}});
}

SampleColumns ColumnsOf(const std::vector<Sample>& samples) {
  SampleColumns columns;
  for (const Sample& sample : samples) columns.Append(sample.timestamp_ms, sample.value);
  return columns;
}

class RemoteReadTest : public testing::Test {
 protected:
  RemoteReadTest() {
    Append("up", "a", {{1000, 1}, {2000, 0}});
    Append("up", "b", {{1500, 1}});
    Append("temp", "a", {{1000, 60}});
  }

  void Append(std::string_view metric, std::string_view job, const std::vector<Sample>& samples) {
    for (const Sample& sample : samples) {
      storage_.Append(SeriesOf(metric, job), sample.timestamp_ms, sample.value);
    }
  }

  Response Read(std::string body, int64_t max_samples = 1000) {
    budget_.emplace(max_samples, QueryBudget::Clock::time_point::max());
    Call call;
    call.request.body = std::move(body);
    return HandleRemoteRead(call, storage_, {progress_, *budget_, place_});
  }

  MemoryStorage storage_;
  std::optional<QueryBudget> budget_;
  engine::QueryProgress progress_;
  std::shared_ptr<const void> place_ = std::make_shared<int>();
};

TEST_F(RemoteReadTest, SamplesAreOneResultForEachQuery) {
  std::string up, temp, expected;
  AppendReadSeries(SeriesOf("up", "a"), ColumnsOf({{1000, 1}}), up);
  AppendReadSeries(SeriesOf("up", "b"), ColumnsOf({{1500, 1}}), up);
  AppendReadSeries(SeriesOf("temp", "a"), ColumnsOf({{1000, 60}}), temp);
  for (const std::string& result : {up, std::string(), temp}) AppendQueryResult(result, expected);
  const Response response = Read(RequestOf(
      {QueryOf("up", 1000, 1500), QueryOf("none", 0, 9000), QueryOf("temp", 0, 9000)}, kAsSamples));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "application/x-protobuf");
  ASSERT_EQ(response.headers.size(), 1u);
  EXPECT_EQ(response.headers[0].name, "Content-Encoding");
  EXPECT_EQ(response.headers[0].value, "snappy");
  EXPECT_EQ(response.body, SnappyBlock(expected));
  EXPECT_EQ(progress_.samples_read, 3);
}

// A client that asks twice for the same gets it twice.
TEST_F(RemoteReadTest, ChunksAreFramesOfEachQuery) {
  std::string expected;
  AppendSeriesFrames(SeriesOf("temp", "a"), ColumnsOf({{1000, 60}}), 0, expected);
  AppendSeriesFrames(SeriesOf("up", "a"), ColumnsOf({{1000, 1}, {2000, 0}}), 1, expected);
  AppendSeriesFrames(SeriesOf("up", "b"), ColumnsOf({{1500, 1}}), 1, expected);
  AppendSeriesFrames(SeriesOf("temp", "a"), ColumnsOf({{1000, 60}}), 2, expected);
  const std::string temp = QueryOf("temp", 0, 9000);
  const Response response = Read(RequestOf({temp, QueryOf("up", 0, 9000), temp}, kAsChunks));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type,
            "application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse");
  EXPECT_EQ(response.body, expected);
  EXPECT_EQ(response.rest, nullptr);
  EXPECT_EQ(progress_.samples_read, 5);
}

TEST_F(RemoteReadTest, ManyChunksComeInParts) {
  // Samples that hardly compress, about 8 bytes each.
  std::string expected;
  for (int series = 0; series < 10; ++series) {
    std::vector<Sample> samples;
    for (int i = 0; i < 10'000; ++i) samples.push_back({i, series + i * 0.7});
    const std::string job = std::to_string(series);
    Append("long", job, samples);
    AppendSeriesFrames(SeriesOf("long", job), ColumnsOf(samples), 0, expected);
  }
  Response response = Read(RequestOf({QueryOf("long", 0, 10'000)}, kAsChunks), 10'000);
  EXPECT_EQ(response.status, 200);
  ASSERT_NE(response.rest, nullptr);
  EXPECT_GE(response.body.size(), 256u << 10);
  EXPECT_LT(response.body.size(), expected.size());
  // What was sent so far was counted, and the place is held until the body is gone.
  EXPECT_GT(progress_.samples_read, 0);
  EXPECT_LT(progress_.samples_read, 100'000);
  EXPECT_EQ(progress_.samples_read % 10'000, 0);
  EXPECT_EQ(place_.use_count(), 2);
  std::string text = response.body;
  size_t parts = 1;
  for (bool has_more = true; has_more; ++parts) {
    const auto next = response.rest->Next(text);
    ASSERT_TRUE(next.ok()) << next.status();
    has_more = *next;
  }
  EXPECT_EQ(text, expected);
  EXPECT_GT(parts, 2u);
  response.rest.reset();
  EXPECT_EQ(place_.use_count(), 1);
}

TEST_F(RemoteReadTest, SamplesAreTakenFromTheBudgetAsAWhole) {
  std::string a, b;
  AppendReadSeries(SeriesOf("up", "a"), ColumnsOf({{1000, 1}, {2000, 0}}), a);
  AppendReadSeries(SeriesOf("up", "b"), ColumnsOf({{1500, 1}}), b);
  // Both series as they are sent, in units of 16 bytes, and the sample of the second one.
  const auto needed = static_cast<int64_t>((a.size() / 16 + 1) + (b.size() / 16 + 1) + 1);
  const std::string body = RequestOf({QueryOf("up", 0, 9000)}, kAsSamples);
  EXPECT_EQ(Read(body, needed).status, 200);
  const Response refused = Read(body, needed - 1);
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.content_type, HasSubstr("text/plain"));
}

TEST_F(RemoteReadTest, OneSeriesOfChunksIsInMemoryAtATime) {
  const std::string body = RequestOf({QueryOf("up", 0, 9000), QueryOf("temp", 0, 9000)}, kAsChunks);
  EXPECT_EQ(Read(body, 2).status, 200);
  EXPECT_EQ(Read(body, 1).status, 400);
}

TEST_F(RemoteReadTest, WhatIsNoRequestIsRefusedInPlainText) {
  const Response broken = Read("nonsense");
  EXPECT_EQ(broken.status, 400);
  EXPECT_THAT(broken.content_type, HasSubstr("text/plain"));
  EXPECT_EQ(Read(SnappyBlock("nonsense")).status, 400);
  EXPECT_EQ(Read(RequestOf({}, 7)).status, 400);
}

TEST_F(RemoteReadTest, ARequestIsSoLongAndNoLonger) {
  // Both are no messages, but only the second is too long to be looked at.
  constexpr size_t kMostBytes = 32 << 20;
  const std::string longest = Read(SnappyBlock(std::string(kMostBytes, '\0'))).body;
  const std::string longer = Read(SnappyBlock(std::string(kMostBytes + 1, '\0'))).body;
  EXPECT_THAT(longer, HasSubstr("33554432"));
  EXPECT_THAT(longest, testing::Not(HasSubstr("33554432")));
}

TEST_F(RemoteReadTest, AStoppedReadFails) {
  for (const int64_t type : {kAsSamples, kAsChunks}) {
    QueryBudget budget(1000, QueryBudget::Clock::time_point::max());
    budget.Cancel();
    Call call;
    call.request.body = RequestOf({QueryOf("up", 0, 9000)}, type);
    EXPECT_EQ(HandleRemoteRead(call, storage_, {progress_, budget, place_}).status, 499);
  }
}

}  // namespace
}  // namespace lockstep::api
