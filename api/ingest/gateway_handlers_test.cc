#include "api/ingest/gateway_handlers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "tests/memory_storage.h"

namespace lockstep::api {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class GatewayHandlersTest : public testing::Test {
 protected:
  Response Send(std::string method, std::string target, std::string body = "",
                std::vector<Header> headers = {}) {
    Request request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    request.headers = std::move(headers);
    request.grant = grant_;
    now_ms_ += 1000;
    std::optional<Response> response;
    HandleGroupPush(request, ingester_, groups_, now_ms_,
                    [&](Response r) { response = std::move(r); });
    EXPECT_TRUE(response.has_value());
    return std::move(response).value_or(Response{});
  }

  // The latest value of each series that has not ended.
  std::map<std::string, double> Newest() {
    std::map<std::string, double> newest;
    const auto querier = *storage_.NewQuerier();
    const auto series = *querier->Select({.matchers = {}, .range = kAllTimes});
    while (series->Next()) {
      SampleColumns columns;
      EXPECT_TRUE(series->Read(columns).ok());
      if (!IsStaleNan(columns.values.back()))
        newest[series->labels().ToString()] = columns.values.back();
    }
    return newest;
  }

  Grant grant_;
  MemoryStorage storage_;
  Ingester ingester_{storage_, IngestLimits{}};
  gateway::PushGroups groups_;
  int64_t now_ms_ = 0;
};

TEST_F(GatewayHandlersTest, APushHasTheLabelsOfItsGroup) {
  const Response response = Send("PUT", "/metrics/job/nightly/instance/a",
                                 "# TYPE rows gauge\nrows{job=\"x\",table=\"t\"} 5\n");
  EXPECT_EQ(response.status, 200);
  EXPECT_THAT(Newest(),
              ElementsAre(Pair("push_failure_time_seconds{instance=\"a\", job=\"nightly\"}", 0),
                          Pair("push_time_seconds{instance=\"a\", job=\"nightly\"}", 1),
                          Pair("rows{instance=\"a\", job=\"nightly\", table=\"t\"}", 5)));
}

TEST_F(GatewayHandlersTest, PutReplacesPostUpdatesDeleteEnds) {
  Send("PUT", "/metrics/job/x", "a 1\nb{k=\"1\"} 1\nb{k=\"2\"} 1\n");
  EXPECT_EQ(Send("POST", "/metrics/job/x", "b{k=\"2\"} 2\n").status, 200);
  EXPECT_THAT(Newest(), ElementsAre(Pair("a{job=\"x\"}", 1), Pair("b{job=\"x\", k=\"2\"}", 2),
                                    Pair("push_failure_time_seconds{job=\"x\"}", 0),
                                    Pair("push_time_seconds{job=\"x\"}", 2)));
  EXPECT_EQ(Send("PUT", "/metrics/job/x", "c 3\n").status, 200);
  EXPECT_THAT(Newest(),
              ElementsAre(Pair("c{job=\"x\"}", 3), Pair("push_failure_time_seconds{job=\"x\"}", 0),
                          Pair("push_time_seconds{job=\"x\"}", 3)));
  EXPECT_EQ(Send("DELETE", "/metrics/job/x").status, 202);
  EXPECT_THAT(Newest(), ElementsAre());
}

TEST_F(GatewayHandlersTest, APushThatCannotBeReadIsToldAndNoted) {
  EXPECT_EQ(Send("PUT", "/metrics/job/x", "a 1\n").status, 200);
  const Response bad = Send("PUT", "/metrics/job/x", "b 1\nc x\n");
  EXPECT_EQ(bad.status, 400);
  EXPECT_THAT(bad.body, HasSubstr("line 2: "));
  EXPECT_THAT(Newest(),
              ElementsAre(Pair("a{job=\"x\"}", 1), Pair("push_failure_time_seconds{job=\"x\"}", 2),
                          Pair("push_time_seconds{job=\"x\"}", 1)));
  EXPECT_EQ(Send("PUT", "/metrics/job/x", "a 1\n").status, 200);
  EXPECT_EQ(Newest().at("push_failure_time_seconds{job=\"x\"}"), 2);
  EXPECT_EQ(Send("PUT", "/metrics/job/x", "a 1 5000\n").status, 400);
}

TEST_F(GatewayHandlersTest, Formats) {
  EXPECT_EQ(Send("POST", "/metrics/job/x", "a 1\n# EOF\n",
                 {{"Content-Type", "application/openmetrics-text; version=1.0.0"}})
                .status,
            200);
  const std::string message(
      "\x0a\x02up\x18\x01\x22\x0b\x12\x09\x09\x00\x00\x00\x00\x00\x00\xf0\x3f", 19);
  EXPECT_EQ(Send("POST", "/metrics/job/x", static_cast<char>(message.size()) + message,
                 {{"Content-Type",
                   "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; "
                   "encoding=delimited"}})
                .status,
            200);
  EXPECT_EQ(Newest().at("up{job=\"x\"}"), 1);
}

TEST_F(GatewayHandlersTest, Failures) {
  EXPECT_EQ(Send("PUT", "/metrics/job/x/instance", "a 1\n").status, 400);
  EXPECT_EQ(Send("PUT", "/metrics/job/x", "a 1\n", {{"Content-Encoding", "br"}}).status, 415);
  EXPECT_THAT(Newest(), ElementsAre());
}

TEST_F(GatewayHandlersTest, CredentialsForSomeJobsTouchNoOthers) {
  Send("PUT", "/metrics/job/other", "a 1\n");
  grant_.jobs = Matcher::Equal("job", "mine");
  EXPECT_EQ(Send("PUT", "/metrics/job/other", "b 1\n").status, 403);
  EXPECT_EQ(Send("DELETE", "/metrics/job/other").status, 403);
  EXPECT_EQ(Send("PUT", "/metrics/job/mine", "b 1\n").status, 200);
  EXPECT_EQ(Newest().at("a{job=\"other\"}"), 1);
  grant_.jobs.reset();
  EXPECT_EQ(Send("DELETE", "/metrics/job/other").status, 202);
  EXPECT_EQ(Newest().count("a{job=\"other\"}"), 0u);
}

}  // namespace
}  // namespace lockstep::api
