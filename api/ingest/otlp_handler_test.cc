#include "api/ingest/otlp_handler.h"
#include "ingest/write/ingest_testing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <optional>
#include <string>

namespace lockstep::api {
namespace {

using std::string_literals::operator""s;
using testing::HasSubstr;

// A gauge, and a sum with delta temporality.
constexpr std::string_view kGauge =
    R"({"name":"power","gauge":{"dataPoints":[{"timeUnixNano":"1000000","asDouble":1}]}})";
constexpr std::string_view kDeltas =
    R"({"name":"steps","sum":{"aggregationTemporality":1,"dataPoints":[{"asInt":1},{"asInt":2}]}})";

std::string JsonOf(std::string_view metrics) {
  return R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[)" + std::string(metrics) + "]}]}]}";
}

// The same gauge, encoded by hand from the message definitions.
std::string GaugeInProtobuf() {
  return "\x0a\x21\x12\x1f\x12\x1d\x0a\x05power"
         "\x2a\x14\x0a\x12\x19\x40\x42\x0f\x00\x00\x00\x00\x00"
         "\x21\x00\x00\x00\x00\x00\x00\xf0\x3f"s;
}

class OtlpHandlerTest : public testing::Test {
 protected:
  Response Post(std::string body, std::string type, std::string encoding = "") {
    Request request;
    request.method = "POST";
    request.body = std::move(body);
    request.headers = {{"Content-Type", std::move(type)}};
    if (!encoding.empty()) request.headers.push_back({"Content-Encoding", std::move(encoding)});
    std::optional<Response> response;
    HandleOtlpMetrics(request, decoder_, ingester_, [&](Response r) { response = std::move(r); });
    EXPECT_TRUE(response.has_value());
    return std::move(response).value_or(Response{});
  }

  otlp::MetricsDecoder decoder_{{}};
  FakeStorage storage_;
  Ingester ingester_{storage_, {.max_decoded_bytes = 10'000}};
};

TEST_F(OtlpHandlerTest, AnswersInTheFormOfTheRequest) {
  const Response json = Post(JsonOf(kGauge), "application/json; charset=utf-8");
  EXPECT_EQ(json.status, 200);
  EXPECT_EQ(json.content_type, "application/json");
  EXPECT_EQ(json.body, "{}");
  EXPECT_EQ(storage_.written_series_count, 1u);
  const Response protobuf = Post(GaugeInProtobuf(), "application/x-protobuf");
  EXPECT_EQ(protobuf.status, 200);
  EXPECT_EQ(protobuf.content_type, "application/x-protobuf");
  EXPECT_EQ(protobuf.body, "");
  EXPECT_EQ(storage_.written_series_count, 2u);
  EXPECT_EQ(ingester_.stats().samples, 2u);
}

TEST_F(OtlpHandlerTest, TellsWhatItRefused) {
  const Response response =
      Post(JsonOf(std::string(kGauge) + "," + std::string(kDeltas)), "application/json");
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(response.body, HasSubstr(R"({"partialSuccess":{"rejectedDataPoints":"2",)"));
  EXPECT_THAT(response.body, HasSubstr("its values are deltas"));
  EXPECT_EQ(storage_.written_series_count, 1u);
  WriteOutcome outcome;
  outcome.rejected.push_back({.sample_count = 1, .reason = "1 sample is too old"});
  storage_.answer = outcome;
  EXPECT_THAT(Post(JsonOf(kGauge), "application/json").body, HasSubstr("1 sample is too old"));
}

TEST_F(OtlpHandlerTest, ReadsCompressedBodies) {
  const std::string plain = JsonOf(kGauge);
  z_stream stream{};
  ASSERT_EQ(deflateInit2(&stream, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string body(1000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(plain.data()));
  stream.avail_in = static_cast<uInt>(plain.size());
  stream.next_out = reinterpret_cast<Bytef*>(body.data());
  stream.avail_out = static_cast<uInt>(body.size());
  ASSERT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  body.resize(stream.total_out);
  deflateEnd(&stream);
  EXPECT_EQ(Post(body, "application/json", "gzip").status, 200);
  EXPECT_EQ(storage_.written_series_count, 1u);
  EXPECT_EQ(Post(plain, "application/json", "gzip").status, 400);
  EXPECT_EQ(Post(plain, "application/json", "br").status, 415);
}

TEST_F(OtlpHandlerTest, ErrorsAreAStatus) {
  EXPECT_EQ(Post("junk", "application/json").status, 400);
  EXPECT_THAT(Post("junk", "application/json").body, HasSubstr(R"({"code":3,"message":")"));
  EXPECT_THAT(Post("junk", "application/x-protobuf").body, testing::StartsWith("\x08\x03\x12"));
  EXPECT_EQ(Post("", "text/plain").status, 415);
  EXPECT_EQ(Post("", "").status, 415);
  EXPECT_EQ(Post(std::string(10'001, ' '), "application/json").status, 413);
  EXPECT_EQ(storage_.written_series_count, 0u);
}

TEST_F(OtlpHandlerTest, FailuresOfTheStoreSayWhenToComeAgain) {
  storage_.answer = absl::UnavailableError("the disk is full");
  const Response response = Post(JsonOf(kGauge), "application/json");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, R"({"code":14,"message":"the disk is full"})");
  ASSERT_EQ(response.headers.size(), 1u);
  EXPECT_EQ(response.headers[0].name, "Retry-After");
  EXPECT_EQ(response.headers[0].value, "5");
}

TEST_F(OtlpHandlerTest, OverTheRateIsTooManyRequests) {
  Ingester slow(storage_, {.max_samples_per_second = 1});
  const auto post = [&] {
    Request request;
    request.body = JsonOf(std::string(kGauge) + "," + std::string(kGauge));
    request.headers = {{"Content-Type", "application/json"}};
    Response answer;
    HandleOtlpMetrics(request, decoder_, slow, [&](Response r) { answer = std::move(r); });
    return answer.status;
  };
  EXPECT_EQ(post(), 200);
  EXPECT_EQ(post(), 429);
}

}  // namespace
}  // namespace lockstep::api
