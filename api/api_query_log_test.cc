// Tests which queries the query log has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "api/api_testing.h"
#include "api/query/query_log.h"
#include "rules/alerts/notifier.h"
#include "rules/config/rules_config.h"
#include "tests/support/test_folder.h"

namespace lockstep::api {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ApiQueryLogTest : public ApiFixture {
 protected:
  ApiQueryLogTest() {
    auto log = QueryLog::Open(folder_.path() + "/query.log");
    EXPECT_TRUE(log.ok()) << log.status();
    log_ = *std::move(log);
    ApiDependencies dependencies = DependenciesOf(tenants_);
    dependencies.query_log = log_.get();
    Restart(std::move(dependencies));
  }
  ~ApiQueryLogTest() override { api_.reset(); }

  std::string Logged() {
    std::ifstream file(folder_.path() + "/query.log");
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
  }

  const TestFolder folder_;
  std::unique_ptr<QueryLog> log_;
};

TEST_F(ApiQueryLogTest, AQueryIsLoggedWithItsTimesAndStatistics) {
  storage_.Append(LabelSet::Of({{"__name__", "up"}}), 1000, 1);
  EXPECT_EQ(Get("/api/v1/query_range?query=up&start=1&end=5&step=2").status, 200);
  EXPECT_THAT(Logged(),
              AllOf(HasSubstr(R"({"time":"2015-07-01T20:10:51.781Z",)"),
                    HasSubstr(R"("params":{"end":"1970-01-01T00:00:05.000Z","query":"up",)"
                              R"("start":"1970-01-01T00:00:01.000Z","step":2},"stats":{)"),
                    HasSubstr(R"("totalQueryableSamples":3,)"), HasSubstr(R"("path":)"),
                    Not(HasSubstr(R"("error")"))));
}

TEST_F(ApiQueryLogTest, FailuresAreLoggedUnlessTheQueryNeverRan) {
  EXPECT_EQ(Get("/api/v1/query?query=up%2B").status, 400);
  EXPECT_EQ(Logged(), "");
  api_->SetLimits({.max_query_samples = 0, .query_timeout = std::chrono::minutes(1)});
  storage_.Append(LabelSet::Of({{"__name__", "up"}}), kNowMs, 1);
  EXPECT_EQ(Get("/api/v1/query?query=up").status, 422);
  EXPECT_THAT(Logged(), AllOf(HasSubstr(R"("query":"up")"), HasSubstr(R"("error":")"),
                              HasSubstr("query.max-samples"), Not(HasSubstr(R"("stats")"))));
}

TEST_F(ApiQueryLogTest, CountersIncludeThoseOfTheNotifier) {
  auto config = rules::ParseRulesConfig(
      "alerting: {alertmanagers: [{static_configs: [{targets: [\"am.example:1\"]}]}]}", "/a.yml");
  ASSERT_TRUE(config.ok()) << config.status();
  rules::Notifier notifier("http://self.example");
  notifier.Configure(*std::move(config));
  while (notifier.alertmanagers().active.empty()) std::this_thread::yield();
  ApiDependencies dependencies = DependenciesOf(tenants_);
  dependencies.notifier = &notifier;
  Restart(std::move(dependencies));
  EXPECT_EQ(api_->stats().rules.alertmanagers, 1u);
  EXPECT_EQ(api_->stats().rules.sent_alerts, 0u);
  EXPECT_THAT(Body("/api/v1/alertmanagers"), HasSubstr("am.example:1"));
  api_.reset();
}

}  // namespace
}  // namespace lockstep::api
