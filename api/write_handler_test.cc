#include "api/write_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "ingest/remote_write_encoder.h"

namespace lockstep::api {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Answers every write as it is told to.
class FakeStorage : public Storage {
 public:
  void Write(WriteRequest request, WriteCallback committed) override {
    written_series_count += request.series.size();
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
  size_t written_series_count = 0;
};

// A valid request, not compressed.
std::string Body() {
  WriteRequest request;
  request.series.push_back({LabelSet::Of({{"__name__", "up"}}), {{1000, 1}}, {}});
  return EncodeRemoteWrite(request);
}

// A series without a name, then one with: by hand, the encoder makes only what it is given.
std::string PartlyBadBody() {
  WriteRequest bad;
  bad.series.push_back({LabelSet::Of({{"job", "x"}}), {{1000, 1}}, {}});
  return EncodeRemoteWrite(bad) + Body();
}

class WriteHandlerTest : public testing::Test {
 protected:
  Response Post(std::string body, std::vector<Header> headers) {
    Request request;
    request.method = "POST";
    request.target = "/api/v1/write";
    request.body = std::move(body);
    request.headers = std::move(headers);
    std::optional<Response> response;
    HandleRemoteWrite(request, ingester_, [&](Response r) { response = std::move(r); });
    EXPECT_TRUE(response.has_value());
    return std::move(response).value_or(Response{});
  }
  Response Post(std::string body) {
    return Post(std::move(body), {{"Content-Encoding", "identity"}});
  }

  FakeStorage storage_;
  Ingester ingester_{storage_, {.max_decoded_bytes = 10'000}};
};

std::string RetryAfter(const Response& response) {
  for (const Header& header : response.headers) {
    if (header.name == "Retry-After") return header.value;
  }
  return "";
}

TEST_F(WriteHandlerTest, GoodRequestsAreAnsweredWithoutContent) {
  const Response response = Post(Body());
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.body, "");
  EXPECT_EQ(storage_.written_series_count, 1u);
}

TEST_F(WriteHandlerTest, PartlyBadRequestsKeepTheirGoodSeries) {
  const Response response = Post(PartlyBadBody());
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr(R"({job="x"}: no metric name)"));
  EXPECT_EQ(storage_.written_series_count, 1u);
}

TEST_F(WriteHandlerTest, SamplesThatTheStoreRefusesAreTold) {
  WriteOutcome outcome;
  outcome.rejected.push_back({.series_index = 0,
                              .sample_count = 1,
                              .reason = "1 sample is older than the retention of 15d",
                              .labels = LabelSet::Of({{"__name__", "up"}})});
  storage_.answer = outcome;
  const Response response = Post(Body());
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("1 sample is older than the retention of 15d"));
}

TEST_F(WriteHandlerTest, FailuresByKind) {
  struct Case {
    absl::Status failure;
    int status;
    std::string retry_after;
  };
  const Case cases[] = {
      {absl::ResourceExhaustedError("the write queue is full"), 503, "5"},
      {absl::UnavailableError("the disk is full"), 503, "5"},
      {absl::PermissionDeniedError("this server only reads"), 403, ""},
      {absl::DataLossError("broken"), 500, ""},
      {absl::InternalError("broken"), 500, ""},
  };
  for (const Case& c : cases) {
    storage_.answer = c.failure;
    const Response response = Post(Body());
    EXPECT_EQ(response.status, c.status);
    EXPECT_EQ(RetryAfter(response), c.retry_after);
    EXPECT_EQ(response.body, std::string(Message(c.failure)) + "\n");
  }
}

TEST(WriteHandlerRateTest, OverTheRateIsTooManyRequestsAndSaysWhenToComeAgain) {
  FakeStorage storage;
  Ingester ingester(storage, {.max_samples_per_second = 1});
  const auto post = [&ingester] {
    Request request;
    request.body = Body() + Body() + Body();
    request.headers = {{"Content-Encoding", "identity"}};
    Response answer;
    HandleRemoteWrite(request, ingester, [&](Response r) { answer = std::move(r); });
    return answer;
  };
  EXPECT_EQ(post().status, 204);
  const Response refused = post();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(RetryAfter(refused), "2");
  EXPECT_THAT(refused.body, HasSubstr("ingest.max-samples-per-second"));
  EXPECT_EQ(storage.written_series_count, 3u);
  EXPECT_EQ(ingester.stats().throttled_requests, 1u);
}

TEST_F(WriteHandlerTest, UndecodableBodies) {
  EXPECT_EQ(Post("junk").status, 400);
  EXPECT_EQ(Post("junk", {{"Content-Encoding", "snappy"}}).status, 400);
  EXPECT_EQ(storage_.written_series_count, 0u);
}

TEST_F(WriteHandlerTest, TooLargeBodies) {
  const Response response = Post(std::string(10'001, 'x'));
  EXPECT_EQ(response.status, 413);
  EXPECT_THAT(response.body, HasSubstr("10000 bytes"));
}

TEST_F(WriteHandlerTest, EncodingsAndTypes) {
  EXPECT_EQ(Post(Body(), {}).status, 204);  // no header: told apart by the body itself
  EXPECT_EQ(Post(Body(), {{"Content-Encoding", "br"}}).status, 415);
  EXPECT_EQ(Post(Body(), {{"Content-Encoding", "identity"}, {"Content-Type", "text/plain"}}).status,
            415);
  EXPECT_EQ(Post(Body(), {{"Content-Encoding", "identity"},
                          {"Content-Type", "application/x-protobuf;proto=prometheus.WriteRequest"}})
                .status,
            204);
  const Response response = Post(
      Body(), {{"Content-Encoding", "identity"},
               {"Content-Type", "application/x-protobuf;proto=io.prometheus.write.v2.Request"}});
  EXPECT_EQ(response.status, 415);
  EXPECT_THAT(response.body, StartsWith("this server reads remote write 1.0"));
}

}  // namespace
}  // namespace lockstep::api
