#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "server/metrics/self_metrics.h"
#include "server/metrics/self_metrics_json.h"

namespace lockstep::server {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using testing::HasSubstr;

// Answers with the path.
class PathHandler final : public api::Handler {
 public:
  void Handle(api::Request request, api::Respond respond) override {
    api::Response response;
    response.body = request.path();
    respond(std::move(response));
  }
  bool OnlyQueues(const api::Request&) const override { return true; }
  api::Role RoleFor(std::string_view, std::string_view) const override { return api::Role::kWrite; }
};

class MetricsEndpointTest : public testing::Test {
 protected:
  api::Response Send(const std::string& method, const std::string& target) {
    std::optional<api::Response> response;
    endpoint_.Handle(RequestOf(method, target), [&](api::Response r) { response = std::move(r); });
    EXPECT_TRUE(response.has_value());
    return std::move(response).value_or(api::Response());
  }
  static api::Request RequestOf(const std::string& method, const std::string& target) {
    api::Request request;
    request.method = method;
    request.target = target;
    return request;
  }

  PathHandler next_;
  MetricsEndpoint endpoint_{next_, [] {
                              SelfSnapshot snapshot;
                              snapshot.http.open_connections = 3;
                              return snapshot;
                            }};
};

TEST_F(MetricsEndpointTest, OneFormIsTextAndTheOtherJson) {
  const api::Response text = Send("GET", "/metrics");
  EXPECT_EQ(text.status, 200);
  EXPECT_EQ(text.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(text.body, HasSubstr("\nlockstep_http_open_connections 3\n"));
  const api::Response json =
      Send("GET", "/api/v1/status/self_metrics?metric_name_pattern=lockstep_http_open_connections");
  EXPECT_EQ(json.content_type, "application/json");
  EXPECT_EQ(json.body,
            R"({"status":"success","data":[{"name":"lockstep_http_open_connections",)"
            R"("help":"Open connections.","type":"GAUGE","metric":[{"gauge":{"value":3}}]}]})");
}

TEST_F(MetricsEndpointTest, AllElseIsForTheNextHandler) {
  EXPECT_EQ(Send("GET", "/other").body, "/other");
  EXPECT_EQ(Send("POST", "/metricsx").body, "/metricsx");
  EXPECT_TRUE(endpoint_.OnlyQueues(RequestOf("GET", "/other")));
  EXPECT_EQ(endpoint_.RoleFor("GET", "/other"), api::Role::kWrite);
}

TEST_F(MetricsEndpointTest, ItsPathsHaveARoleOfTheirOwn) {
  for (const char* path : {"/metrics", "/api/v1/status/self_metrics"}) {
    EXPECT_EQ(endpoint_.RoleFor("GET", path), api::Role::kMetrics);
    EXPECT_FALSE(endpoint_.OnlyQueues(RequestOf("GET", path)));
  }
}

TEST_F(MetricsEndpointTest, MetricsAreOnlyRead) {
  for (const char* path : {"/metrics", "/api/v1/status/self_metrics"}) {
    const api::Response response = Send("POST", path);
    EXPECT_EQ(response.status, 405);
    EXPECT_EQ(response.body, "This path only supports GET.\n");
    ASSERT_EQ(response.headers.size(), 1u);
    EXPECT_EQ(response.headers[0].name, "Allow");
    EXPECT_EQ(response.headers[0].value, "GET, HEAD, OPTIONS");
  }
}

api::Response AsJson(const std::string& parameters, const std::vector<MetricFamily>& families) {
  api::Request request;
  request.target = "/?" + parameters;
  return AnswerAsJson(request, families);
}

MetricFamily FamilyOf(const std::string& name, MetricType type) {
  MetricFamily family;
  family.name = name;
  family.help = "Help.";
  family.type = type;
  family.metric.emplace_back();
  return family;
}

// The format is that of client_golang's protobuf messages, as Prometheus' page reads them.
TEST(SelfMetricsJsonTest, EachTypeHasItsFields) {
  MetricFamily counter = FamilyOf("c", MetricType::Counter);
  counter.metric[0].counter.value = 1.5;
  counter.metric[0].label = {{"a", "b"}, {"c", "d"}};
  MetricFamily gauge = FamilyOf("g", MetricType::Gauge);
  gauge.metric[0].gauge.value = std::numeric_limits<double>::quiet_NaN();
  gauge.metric.resize(3);
  gauge.metric[1].gauge.value = std::numeric_limits<double>::infinity();
  gauge.metric[2].gauge.value = -std::numeric_limits<double>::infinity();
  MetricFamily histogram = FamilyOf("h", MetricType::Histogram);
  histogram.metric[0].histogram.sample_count = 3;
  histogram.metric[0].histogram.sample_sum = 2.5;
  ClientMetric::Bucket bucket;
  bucket.cumulative_count = 2;
  bucket.upper_bound = 0.5;
  histogram.metric[0].histogram.bucket.push_back(bucket);
  bucket.cumulative_count = 3;
  bucket.upper_bound = std::numeric_limits<double>::infinity();
  histogram.metric[0].histogram.bucket.push_back(bucket);
  EXPECT_EQ(AsJson("", {counter, gauge, histogram}).body,
            R"({"status":"success","data":[{"name":"c","help":"Help.","type":"COUNTER","metric":[)"
            R"({"label":[{"name":"a","value":"b"},{"name":"c","value":"d"}],)"
            R"("counter":{"value":1.5}}]},)"
            R"({"name":"g","help":"Help.","type":"GAUGE","metric":[{"gauge":{"value":"NaN"}},)"
            R"({"gauge":{"value":"Infinity"}},{"gauge":{"value":"-Infinity"}}]},)"
            R"({"name":"h","help":"Help.","type":"HISTOGRAM","metric":[{"histogram":{)"
            R"("sampleCount":"3","sampleSum":2.5,"bucket":[{"cumulativeCount":"2",)"
            R"("upperBound":0.5}]}}]}]})");
}

TEST(SelfMetricsJsonTest, APatternSelectsWholeNames) {
  const std::vector<MetricFamily> families = {FamilyOf("ab", MetricType::Gauge),
                                              FamilyOf("abc", MetricType::Gauge)};
  const auto names = [&](const std::string& pattern) {
    const std::string body = AsJson("metric_name_pattern=" + pattern, families).body;
    std::string found;
    for (const char* name : {"ab", "abc"}) {
      if (body.find(std::string(R"("name":")") + name + '"') != std::string::npos) {
        found += std::string(name) + " ";
      }
    }
    return found;
  };
  EXPECT_EQ(names(""), "ab abc ");
  EXPECT_EQ(names("ab"), "ab ");
  EXPECT_EQ(names("ab.*"), "ab abc ");
  EXPECT_EQ(names("x|abc"), "abc ");
  EXPECT_EQ(names("b"), "");
  const api::Response broken = AsJson("metric_name_pattern=(", families);
  EXPECT_EQ(broken.status, 400);
  EXPECT_THAT(broken.body, HasSubstr("invalid metric_name_pattern: error parsing regexp: "));
}

}  // namespace
}  // namespace lockstep::server
