#include "api/ingest/datadog_handlers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "ingest/write/ingest_testing.h"

namespace lockstep::api {
namespace {

using testing::HasSubstr;

class DatadogHandlersTest : public testing::Test {
 protected:
  Response Post(std::string body,
                std::vector<Header> headers = {{"Content-Type", "application/json"}}) {
    Request request;
    request.method = "POST";
    request.target = "/datadog/api/v1/series";
    request.body = std::move(body);
    request.headers = std::move(headers);
    std::optional<Response> response;
    HandleDatadogSeries(request, ingester_, 5000, [&](Response r) { response = std::move(r); });
    EXPECT_TRUE(response.has_value());
    return std::move(response).value_or(Response{});
  }

  FakeStorage storage_;
  Ingester ingester_{storage_, IngestLimits{}};
};

TEST_F(DatadogHandlersTest, Answers) {
  const Response good = Post(R"({"series":[{"metric":"load","points":[[0,1]]}]})");
  EXPECT_EQ(good.status, 202);
  EXPECT_EQ(good.body, R"({"status":"ok"})");
  EXPECT_EQ(storage_.last_request.series[0].samples[0].timestamp_ms, 5000);
  const Response partial = Post(R"({"series":[{"metric":"load","points":[[0,1]]},{}]})");
  EXPECT_EQ(partial.status, 400);
  EXPECT_THAT(partial.body, HasSubstr(R"({"errors":["1 samples were not stored)"));
  EXPECT_EQ(storage_.written_series_count, 2u);
  EXPECT_EQ(Post("x").status, 400);
  EXPECT_EQ(Post("{}", {{"Content-Type", "text/plain"}}).status, 415);
  EXPECT_EQ(HandleDatadogValidate().body, R"({"valid":true})");
}

TEST_F(DatadogHandlersTest, ProtobufOfTheAgent) {
  const std::vector<Header> headers = {{"Content-Type", "application/x-protobuf"}};
  // series {metric "load", points {value 1, timestamp 7}}
  const std::string body("\x0a\x13\x12\x04load\x22\x0b\x09\x00\x00\x00\x00\x00\x00\xf0\x3f\x10\x07",
                         21);
  EXPECT_EQ(Post(body, headers).status, 202);
  const SeriesWrite& series = storage_.last_request.series.at(0);
  EXPECT_EQ(series.labels.metric_name(), "load");
  EXPECT_EQ(series.samples.at(0).timestamp_ms, 7000);
  EXPECT_EQ(series.samples.at(0).value, 1);
  EXPECT_EQ(Post("{}", headers).status, 400);
  EXPECT_EQ(Post(body).status, 400);
}

TEST_F(DatadogHandlersTest, WhatIsNoSeries) {
  EXPECT_EQ(HandleDatadogSketches().status, 400);
  EXPECT_THAT(HandleDatadogSketches().body, HasSubstr("sketches"));
  EXPECT_EQ(HandleDatadogIntake().status, 200);
  EXPECT_EQ(HandleDatadogCheckRun().status, 202);
}

}  // namespace
}  // namespace lockstep::api
