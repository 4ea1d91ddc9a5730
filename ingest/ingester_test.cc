#include "ingest/ingester.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <snappy.h>

#include <optional>

#include "ingest/remote_write_encoder.h"

namespace lockstep {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

// Keeps what it is given and answers what it is told to.
class FakeStorage : public Storage {
 public:
  void Write(WriteRequest request, WriteCallback committed) override {
    last_request = std::move(request);
    ++write_count;
    committed(answer);
  }
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override {
    return absl::UnimplementedError("no querier");
  }
  StorageStats stats() const override { return {}; }
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery&) const override {
    return CardinalityStats();
  }

  absl::StatusOr<WriteOutcome> answer = WriteOutcome();
  WriteRequest last_request;
  int write_count = 0;
};

std::string Body(const std::vector<std::string>& metric_names) {
  WriteRequest request;
  for (const std::string& name : metric_names) {
    request.series.push_back({LabelSet::Of({{"__name__", name}, {"job", "x"}}), {{1000, 1}}, {}});
  }
  const std::string message = EncodeRemoteWrite(request, {{"up", {"gauge", "help", ""}}});
  std::string body;
  snappy::Compress(message.data(), message.size(), &body);
  return body;
}

class IngesterTest : public testing::Test {
 protected:
  absl::StatusOr<Refusals> Push(std::string_view body) {
    std::optional<absl::StatusOr<Refusals>> answer;
    ingester_.RemoteWrite(BodyEncoding::kSnappy, body, [&](absl::StatusOr<Refusals> result) {
      EXPECT_FALSE(answer.has_value());
      answer = std::move(result);
    });
    EXPECT_TRUE(answer.has_value());
    return *std::move(answer);
  }

  FakeStorage storage_;
  Ingester ingester_{storage_, {.max_body_bytes = 2000}};
};

TEST_F(IngesterTest, HandsSeriesToTheStoreAndCounts) {
  const std::string body = Body({"up", "down"});
  const auto refusals = Push(body);
  ASSERT_TRUE(refusals.ok()) << refusals.status();
  EXPECT_TRUE(refusals->empty());
  EXPECT_THAT(storage_.last_request.series, SizeIs(2));
  const IngestStats stats = ingester_.stats();
  EXPECT_EQ(stats.requests, 1u);
  EXPECT_EQ(stats.series, 2u);
  EXPECT_EQ(stats.samples, 2u);
  EXPECT_EQ(stats.metadata_entries, 1u);
  EXPECT_EQ(stats.body_bytes, body.size());
  EXPECT_GT(stats.decoded_bytes, 0u);
  EXPECT_EQ(ingester_.metadata().List({}).at(0).name, "up");
}

TEST_F(IngesterTest, TellsWhatTheStoreRefused) {
  WriteOutcome outcome;
  outcome.rejected.push_back({.series_index = 0,
                              .sample_count = 3,
                              .reason = "3 samples are older than the retention of 15d",
                              .labels = LabelSet::Of({{"__name__", "up"}})});
  storage_.answer = outcome;
  const auto refusals = Push(Body({"up"}));
  ASSERT_TRUE(refusals.ok()) << refusals.status();
  EXPECT_THAT(refusals->ToString(),
              HasSubstr(R"({__name__="up"}: 3 samples are older than the retention of 15d)"));
  EXPECT_EQ(ingester_.stats().rejected_samples[static_cast<size_t>(RejectReason::kStore)], 3u);
}

TEST_F(IngesterTest, PassesTheStoresErrorsOn) {
  storage_.answer = absl::UnavailableError("the disk is full");
  EXPECT_EQ(Push(Body({"up"})).status(), absl::UnavailableError("the disk is full"));
}

TEST_F(IngesterTest, NothingForTheStoreIsAnsweredAtOnce) {
  const auto refusals = Push(Body({}));
  ASSERT_TRUE(refusals.ok()) << refusals.status();
  EXPECT_EQ(storage_.write_count, 0);
}

TEST_F(IngesterTest, CountsWhatItCannotRead) {
  EXPECT_EQ(Push("no snappy at all").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Push(std::string(2001, 'x')).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(ingester_.stats().undecodable_requests, 1u);
  EXPECT_EQ(ingester_.stats().oversized_requests, 1u);
  EXPECT_EQ(storage_.write_count, 0);
}

}  // namespace
}  // namespace lockstep
