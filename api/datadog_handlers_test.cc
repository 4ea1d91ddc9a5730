#include "api/datadog_handlers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "ingest/ingest_testing.h"

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
  EXPECT_EQ(Post("{}", {{"Content-Type", "application/x-protobuf"}}).status, 415);
  EXPECT_EQ(HandleDatadogValidate().body, R"({"valid":true})");
}

}  // namespace
}  // namespace lockstep::api
