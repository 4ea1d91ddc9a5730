#include "api/ingest/write_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "ingest/remote_write/remote_write_encoder.h"
#include "ingest/remote_write/remote_write_v2_testing.h"
#include "ingest/write/ingest_testing.h"

namespace lockstep::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

// A valid, uncompressed request.
std::string Body() {
  WriteRequest request;
  request.series.push_back({LabelSet::Of({{"__name__", "up"}}), {{1000, 1}}, {}});
  return EncodeRemoteWrite(request);
}

// A series without a name, then one with a name; written by hand because the encoder cannot make
// it.
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
  EXPECT_EQ(Post(Body(), {}).status, 204);  // no header: detected from the body
  EXPECT_EQ(Post(Body(), {{"Content-Encoding", "br"}}).status, 415);
  EXPECT_EQ(Post(Body(), {{"Content-Encoding", "identity"}, {"Content-Type", "text/plain"}}).status,
            415);
  EXPECT_EQ(Post(Body(), {{"Content-Encoding", "identity"},
                          {"Content-Type", "application/x-protobuf;proto=prometheus.WriteRequest"}})
                .status,
            204);
  const Response response = Post(
      Body(), {{"Content-Encoding", "identity"},
               {"Content-Type", "application/x-protobuf;proto=io.prometheus.write.v3.Request"}});
  EXPECT_EQ(response.status, 415);
  EXPECT_THAT(response.body, HasSubstr("io.prometheus.write.v3.Request"));
}

std::map<std::string, std::string> WrittenHeaders(const Response& response) {
  std::map<std::string, std::string> headers;
  for (const Header& header : response.headers) {
    if (header.name.starts_with("X-Prometheus-Remote-Write-")) headers[header.name] = header.value;
  }
  return headers;
}

TEST_F(WriteHandlerTest, SendersOfVersion2AreToldWhatWasWritten) {
  WriteRequest request;
  request.series.push_back({LabelSet::Of({{"__name__", "up"}}), {{1000, 1}, {2000, 1}}, {}});
  const std::string body = EncodeRemoteWriteV2(request);
  const auto post = [&](std::string content_type, const std::string& bytes) {
    return Post(bytes,
                {{"Content-Encoding", "identity"}, {"Content-Type", std::move(content_type)}});
  };
  for (const char* type : {"application/x-protobuf;proto=io.prometheus.write.v2.Request",
                           "Application/X-Protobuf ; Proto=io.prometheus.write.v2.Request"}) {
    const Response response = post(type, body);
    EXPECT_EQ(response.status, 204);
    EXPECT_THAT(WrittenHeaders(response),
                ElementsAre(Pair("X-Prometheus-Remote-Write-Exemplars-Written", "0"),
                            Pair("X-Prometheus-Remote-Write-Histograms-Written", "0"),
                            Pair("X-Prometheus-Remote-Write-Samples-Written", "2")));
  }
  const char* const type = "application/x-protobuf;proto=io.prometheus.write.v2.Request";
  const Response junk = post(type, "junk");
  EXPECT_EQ(junk.status, 400);
  EXPECT_EQ(WrittenHeaders(junk).at("X-Prometheus-Remote-Write-Samples-Written"), "0");
  storage_.answer = absl::UnavailableError("the disk is full");
  const Response failed = post(type, body);
  EXPECT_EQ(failed.status, 503);
  EXPECT_EQ(WrittenHeaders(failed).at("X-Prometheus-Remote-Write-Samples-Written"), "0");
  storage_.answer = WriteOutcome();
  EXPECT_THAT(WrittenHeaders(Post(Body())), IsEmpty());
}

TEST_F(WriteHandlerTest, Version2KeepsTheGoodAndTellsTheRest) {
  const LabelSet up = LabelSet::Of({{"__name__", "up"}});
  WriteRequest request;
  request.series.push_back({LabelSet::Of({{"job", "x"}}), {{1000, 1}}, {}});
  request.series.push_back({up, {{1000, 1}}, {}});
  const Exemplar late{{}, 1, 500}, new_one{{}, 1, 1000};
  const Response response =
      Post(EncodeRemoteWriteV2(request, {}, {{up, {new_one, late}}}),
           {{"Content-Encoding", "identity"},
            {"Content-Type", "application/x-protobuf;proto=io.prometheus.write.v2.Request"}});
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr(R"({job="x"}: no metric name)"));
  EXPECT_THAT(response.body, HasSubstr("an exemplar is older than the newest of the series"));
  EXPECT_THAT(WrittenHeaders(response),
              ElementsAre(Pair("X-Prometheus-Remote-Write-Exemplars-Written", "1"),
                          Pair("X-Prometheus-Remote-Write-Histograms-Written", "0"),
                          Pair("X-Prometheus-Remote-Write-Samples-Written", "1")));
  EXPECT_EQ(storage_.written_series_count, 1u);
}

}  // namespace
}  // namespace lockstep::api
