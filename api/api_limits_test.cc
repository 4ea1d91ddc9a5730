// Tests the API's limits, its counters, and what it tells of itself while it starts and stops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>

#include "api/api_testing.h"
#include "rules/config/rule_file.h"
#include "rules/rule_runner.h"

namespace lockstep::api {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ApiLimitsTest : public ApiFixture {
 protected:
  ApiLimitsTest() {
    for (const char* instance : {"a", "b"}) {
      storage_.Append(LabelSet::Of({{"__name__", "up"}, {"instance", instance}}), kNowMs - 1000, 1);
    }
  }

  static Request RequestOf(std::string method, std::string target, std::string body = {}) {
    Request request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    return request;
  }
};

TEST_F(ApiLimitsTest, AQueryIsSoLongAndNoLonger) {
  ApiOptions options;
  options.max_query_bytes = 7;
  Restart(tenants_, options);
  EXPECT_EQ(Get("/api/v1/query?query=1%2B1%2B1%2B1").status, 200);
  const Response refused = Get("/api/v1/query?query=1%2B1%2B1%2B11");
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.body, HasSubstr("the query has 8 bytes; the limit is 7 (query.max-length)"));
}

TEST_F(ApiLimitsTest, AFormIsSoLongAndNoLonger) {
  const Response refused = PostForm("/api/v1/query", "query=1&x=" + std::string(1 << 20, 'x'));
  EXPECT_EQ(refused.status, 413);
  EXPECT_THAT(refused.body, HasSubstr("the form has 1048586 bytes; the limit is 1048576"));
}

TEST_F(ApiLimitsTest, SearchesReadTheStore) {
  EXPECT_EQ(Body("/api/v1/search/label_values?label=instance"),
            R"({"results":[{"value":"a"},{"value":"b"}]})"
            "\n"
            R"({"status":"success","has_more":false})"
            "\n");
  EXPECT_THAT(Body("/api/v1/search/metric_names"), HasSubstr(R"({"name":"up"})"));
  EXPECT_THAT(Body("/api/v1/search/label_names"), HasSubstr(R"({"name":"instance"})"));
}

TEST_F(ApiLimitsTest, AnExplainedScalarIsOneElement) {
  EXPECT_THAT(Body("/api/v1/explain?query=1"),
              HasSubstr(R"("resultType":"scalar","resultCount":1,)"));
  EXPECT_THAT(Body("/api/v1/explain?query='x'"),
              HasSubstr(R"("resultType":"string","resultCount":1,)"));
}

TEST_F(ApiLimitsTest, LimitsOfQueriesMayChange) {
  api_->SetLimits({.max_query_samples = 1, .query_timeout = std::chrono::minutes(1)});
  const Response refused = Get("/api/v1/query?query=up");
  EXPECT_EQ(refused.status, 422);
  EXPECT_THAT(refused.body, HasSubstr("(query.max-samples)"));
  api_->SetLimits({.max_query_samples = 1000, .query_timeout = std::chrono::milliseconds(0)});
  EXPECT_EQ(Get("/api/v1/query?query=up").status, 503);
  api_->SetLimits({.max_query_samples = 1000, .query_timeout = std::chrono::minutes(1)});
  EXPECT_EQ(Get("/api/v1/query?query=up").status, 200);
}

TEST_F(ApiLimitsTest, OnlyShortQueriesOfTheUrlAreQueuedAtOnce) {
  const auto only_queues = [this](const Request& request) { return api_->OnlyQueues(request); };
  EXPECT_TRUE(only_queues(RequestOf("GET", "/api/v1/query?query=up")));
  EXPECT_FALSE(only_queues(RequestOf("POST", "/api/v1/query?query=up")));
  EXPECT_FALSE(only_queues(RequestOf("GET", "/api/v1/query?query=up", "x")));
  EXPECT_FALSE(only_queues(RequestOf("GET", "/api/v1/status/buildinfo")));
  EXPECT_FALSE(only_queues(RequestOf("GET", "/nothing")));
  std::string target = "/api/v1/query?query=";
  target.resize(4096, '1');
  EXPECT_TRUE(only_queues(RequestOf("GET", target)));
  EXPECT_FALSE(only_queues(RequestOf("GET", target + "1")));
}

TEST_F(ApiLimitsTest, EachPathRequiresARole) {
  EXPECT_EQ(api_->RoleFor("GET", "/api/v1/query"), Role::kRead);
  EXPECT_EQ(api_->RoleFor("GET", "/api/v1/write"), Role::kWrite);
  EXPECT_EQ(api_->RoleFor("GET", "/-/healthy"), Role::kNone);
  EXPECT_EQ(api_->RoleFor("GET", "/api/v1/status/config"), Role::kAdmin);
  EXPECT_EQ(api_->RoleFor("GET", "/nothing"), Role::kAny);
}

TEST_F(ApiLimitsTest, ItTellsThatItIsStarting) {
  api_ = std::make_unique<Api>(DependenciesOf(tenants_));
  EXPECT_EQ(Body("/api/v1/notifications"),
            Success(R"([{"text":"lockstep is starting.","date":"2015-07-01T20:10:51.781Z",)"
                    R"("active":true}])"));
  const Response refused = Get("/-/ready");
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.body, "Service Unavailable: lockstep is not ready: it has not started yet\n");
  api_->SetReady(true);
  EXPECT_EQ(Body("/api/v1/notifications"), Success("[]"));
}

TEST_F(ApiLimitsTest, ItTellsThatItIsStopping) {
  Response live = Get("/api/v1/notifications/live");
  ASSERT_NE(live.rest, nullptr);
  api_->StopQueries();
  EXPECT_THAT(Body("/api/v1/notifications"), HasSubstr("lockstep is shutting down."));
  std::string events;
  EXPECT_FALSE(*live.rest->Next(events));
  EXPECT_THAT(events, HasSubstr("lockstep is shutting down."));
  EXPECT_EQ(Get("/api/v1/notifications/live").status, 204);
  const Response refused = Get("/api/v1/query?query=up");
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("the server is shutting down"));
  EXPECT_EQ(Get("/debug/pprof/profile?seconds=1").status, 503);
  live.rest.reset();
}

TEST_F(ApiLimitsTest, CountersIncludeThoseOfRules) {
  rules::RuleRunner runner{rules::RuleRunnerOptions{}};
  auto groups = rules::ParseRuleFile(
      "groups: [{name: g, rules: [{record: a, expr: b}, {record: c, expr: d}]}]", "/a.yml", {});
  ASSERT_TRUE(groups.ok()) << groups.status();
  runner.Configure(*std::move(groups), {});
  ApiDependencies dependencies = DependenciesOf(tenants_);
  dependencies.rules = &runner;
  Restart(std::move(dependencies));
  const ApiStats stats = api_->stats();
  EXPECT_EQ(stats.rules.groups, 1u);
  EXPECT_EQ(stats.rules.rules, 2u);
  EXPECT_THAT(Body("/api/v1/rules"), HasSubstr(R"("name":"c","query":"d")"));
  EXPECT_EQ(Body("/api/v1/alerts"), Success(R"({"alerts":[]})"));
  api_.reset();
}

TEST_F(ApiLimitsTest, AQueryRunsUntilItsAnswerIsSent) {
  Response answer = Get("/api/v1/query?query=up");
  ApiStats stats = api_->stats();
  EXPECT_EQ(stats.queries_running, 1u);
  EXPECT_EQ(stats.queries_queued, 0u);
  EXPECT_EQ(stats.queries_refused, 0u);
  EXPECT_EQ(stats.query_samples_total, 2u);
  answer = Response();
  while (api_->stats().queries_running > 0) std::this_thread::yield();
}

TEST_F(ApiLimitsTest, HeadersOfRefusalsSayWhenToTryAgain) {
  api_->SetReady(false);
  const Response refused = Get("/api/v1/query?query=up");
  ASSERT_EQ(refused.headers.size(), 1u);
  EXPECT_EQ(refused.headers[0].name, "Retry-After");
  EXPECT_EQ(refused.headers[0].value, "1");
}

// A browser gets the page for each of its paths; there is none here, so it gets the text.
TEST_F(ApiLimitsTest, BrowsersGetThePage) {
  const std::vector<Header> browser = {{"Accept", "text/html"}};
  EXPECT_THAT(Send("GET", "/explore", "", browser).body, testing::StartsWith("lockstep 0.1.0"));
  EXPECT_EQ(Get("/explore").status, 404);
  EXPECT_THAT(Send("GET", "/query?q=x", "", browser).body, testing::StartsWith("lockstep 0.1.0"));
  EXPECT_EQ(Body("/query?q=create%20database%20x"), R"({"results":[{"statement_id":0}]})");
  EXPECT_EQ(Get("/assets/x.js").status, 404);
}

TEST_F(ApiLimitsTest, InfluxAndDatadogClientsFindTheirPaths) {
  EXPECT_EQ(Get("/ping").status, 204);
  EXPECT_EQ(Body("/health"),
            R"({"name":"lockstep","message":"ready for queries and writes","status":"pass",)"
            R"("checks":[]})");
  EXPECT_EQ(Send("POST", "/write", "m v=1\n").status, 204);
  EXPECT_EQ(Send("POST", "/api/v2/write?bucket=b", "m v=2\n").status, 204);
  EXPECT_EQ(Body("/datadog/api/v1/validate"), R"({"valid":true})");
  EXPECT_EQ(Send("POST", "/datadog/api/v1/check_run").status, 202);
  EXPECT_EQ(Send("POST", "/datadog/intake/").body, "{}");
  EXPECT_EQ(Send("POST", "/datadog/api/v1/metadata").body, "{}");
  EXPECT_EQ(Send("POST", "/datadog/api/beta/sketches").status, 400);
  EXPECT_EQ(Send("POST", "/datadog/api/v1/series",
                 R"({"series":[{"metric":"d","points":)"
                 R"([[1435781451,3]],"type":"gauge"}]})")
                .status,
            202);
  EXPECT_EQ(Send("PUT", "/metrics/job/batch", "pushed 4\n").status, 200);
  EXPECT_EQ(Send("POST", "/api/v1/import",
                 R"({"metric":{"__name__":"line"},"values":[5],)"
                 R"("timestamps":[1435781451000]})"
                 "\n")
                .status,
            204);
  const std::string names = Body("/api/v1/label/__name__/values");
  for (const char* name : {"\"m_v\"", "\"d\"", "\"pushed\"", "\"line\""}) {
    EXPECT_THAT(names, HasSubstr(name));
  }
  EXPECT_THAT(Body("/api/v1/export?match[]=line"),
              AllOf(HasSubstr(R"("values":[5])"), Not(HasSubstr("pushed"))));
}

// Logs and steps.
TEST_F(ApiLimitsTest, TrainersPush) {
  EXPECT_EQ(Send("POST", "/api/v1/push/steps",
                 R"({"job":"a","rank":0,"step":1,"loss":2.5,"time":1435781451})"
                 "\n")
                .status,
            200);
  EXPECT_EQ(api_->stats().push.pushes, 1u);
  EXPECT_EQ(Send("POST", "/api/v1/push/log?rank=x", "x").status, 400);
  EXPECT_EQ(api_->stats().push.pushes, 1u);
  EXPECT_EQ(
      Send("POST", "/api/v1/training/register", R"([{"job":"a","rank":0,"host":"n"}])").status,
      200);
  EXPECT_THAT(Body("/api/v1/training/identity?job=a"), HasSubstr(R"("host":"n")"));
  EXPECT_THAT(Body("/api/v1/training/roles"), HasSubstr(R"({"roles":[{"role":)"));
}

}  // namespace
}  // namespace lockstep::api
