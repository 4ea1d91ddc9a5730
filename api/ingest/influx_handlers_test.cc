#include "api/ingest/influx_handlers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "ingest/write/ingest_testing.h"

namespace lockstep::api {
namespace {

using testing::HasSubstr;

class InfluxHandlersTest : public testing::Test {
 protected:
  Response Post(std::string target, std::string body, std::vector<Header> headers = {}) {
    Request request;
    request.method = "POST";
    request.target = std::move(target);
    request.body = std::move(body);
    request.headers = std::move(headers);
    const InfluxVersion version =
        request.path() == "/write" ? InfluxVersion::k1 : InfluxVersion::k2;
    std::optional<Response> response;
    HandleInfluxWrite(request, version, ingester_, 1234,
                      [&](Response r) { response = std::move(r); });
    EXPECT_TRUE(response.has_value());
    return std::move(response).value_or(Response{});
  }

  FakeStorage storage_;
  Ingester ingester_{storage_, {.max_decoded_bytes = 1000}};
};

TEST_F(InfluxHandlersTest, GoodLinesAreAnsweredWithoutContent) {
  const Response response = Post("/write?db=telegraf&precision=s&rp=", "cpu,host=a idle=97.5 7\n");
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.body, "");
  ASSERT_EQ(storage_.last_request.series.size(), 1u);
  EXPECT_EQ(storage_.last_request.series[0].labels.ToString(),
            "cpu_idle{db=\"telegraf\", host=\"a\"}");
  EXPECT_EQ(storage_.last_request.series[0].samples[0].timestamp_ms, 7000);
}

TEST_F(InfluxHandlersTest, BucketsAreNoLabels) {
  EXPECT_EQ(Post("/api/v2/write?bucket=b&org=o", "cpu value=1").status, 204);
  EXPECT_EQ(storage_.last_request.series[0].labels.ToString(), "cpu");
  EXPECT_EQ(storage_.last_request.series[0].samples[0].timestamp_ms, 1234);
}

TEST_F(InfluxHandlersTest, GoodLinesOfABadBodyAreStored) {
  const std::string body = "good value=1\nbad value=x\n";
  const Response first = Post("/write", body);
  EXPECT_EQ(first.status, 400);
  EXPECT_EQ(first.content_type, "application/json");
  EXPECT_THAT(first.body, HasSubstr(R"({"error":"partial write: )"));
  EXPECT_THAT(first.body, HasSubstr("line 2: "));
  EXPECT_THAT(first.body, HasSubstr("dropped=1"));
  EXPECT_EQ(storage_.written_series_count, 1u);
  const Response second = Post("/api/v2/write", body);
  EXPECT_EQ(second.status, 400);
  EXPECT_THAT(second.body, HasSubstr(R"({"code":"invalid","message":"partial write: )"));
}

TEST_F(InfluxHandlersTest, Failures) {
  EXPECT_EQ(Post("/write?precision=d", "m value=1").status, 400);
  EXPECT_EQ(Post("/write", "m value=1", {{"Content-Encoding", "br"}}).status, 415);
  EXPECT_EQ(Post("/write", "m value=1", {{"Content-Encoding", "gzip"}}).status, 400);
  const Response large = Post("/api/v2/write", std::string(2000, ' '));
  EXPECT_EQ(large.status, 413);
  EXPECT_THAT(large.body, HasSubstr(R"("code":"request too large")"));
  storage_.answer = absl::UnavailableError("the disk is full");
  const Response full = Post("/write", "m value=1");
  EXPECT_EQ(full.status, 503);
  EXPECT_EQ(full.body, R"({"error":"the disk is full"})");
}

// The codes of InfluxDB 2's API.
TEST_F(InfluxHandlersTest, ErrorsOfVersion2HaveCodes) {
  const auto code = [](const Response& response) {
    constexpr std::string_view kBegin = R"({"code":")";
    return response.body.substr(kBegin.size(),
                                response.body.find('"', kBegin.size()) - kBegin.size());
  };
  EXPECT_EQ(code(Post("/api/v2/write", "m value=1", {{"Content-Encoding", "br"}})),
            "unsupported media type");
  storage_.answer = absl::UnavailableError("the disk is full");
  EXPECT_EQ(code(Post("/api/v2/write", "m value=1")), "unavailable");
  storage_.answer = absl::PermissionDeniedError("this server only reads");
  EXPECT_EQ(code(Post("/api/v2/write", "m value=1")), "forbidden");
  storage_.answer = absl::DataLossError("broken");
  EXPECT_EQ(code(Post("/api/v2/write", "m value=1")), "internal error");
}

TEST_F(InfluxHandlersTest, CredentialsForSomeJobsWriteTheirs) {
  Request request;
  request.method = "POST";
  request.target = "/write";
  request.body = "m,job=other value=1";
  request.grant.jobs = Matcher::Equal("job", "mine");
  Response response;
  HandleInfluxWrite(request, InfluxVersion::k1, ingester_, 1,
                    [&](Response r) { response = std::move(r); });
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(storage_.write_count, 0);
}

TEST(InfluxQueryTest, OnlyWhatChangesNothingIsAnsweredWell) {
  const auto ask = [](std::string_view statement) {
    Request request;
    request.target = "/query?q=" + std::string(statement);
    Call call;
    call.form = Form::Of(request);
    return HandleInfluxQuery(call).body;
  };
  EXPECT_EQ(ask("create+database+%22telegraf%22"), R"({"results":[{"statement_id":0}]})");
  EXPECT_EQ(ask("SHOW+DATABASES"), R"({"results":[{"statement_id":0}]})");
  EXPECT_THAT(ask("SELECT+1"), HasSubstr("\"error\":"));
  EXPECT_THAT(ask("DROP+DATABASE+x"), HasSubstr("\"error\":"));
}

TEST(InfluxPingTest, NamesAVersion) {
  const Response response = HandleInfluxPing();
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.headers[0].name, "X-Influxdb-Version");
}

}  // namespace
}  // namespace lockstep::api
