#include "api/prometheus/rule_handlers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "rules/alerts/notifier.h"
#include "rules/config/rule_file.h"
#include "rules/config/rules_config.h"
#include "tenants/tenants.h"
#include "tests/memory_storage.h"

namespace lockstep::api {
namespace {

using testing::HasSubstr;
using testing::Not;

// Three groups in two files that have never been evaluated; the last is of another tenant.
class RuleHandlersTest : public testing::Test {
 protected:
  RuleHandlersTest() {
    std::vector<rules::RuleGroup> groups = GroupsOf("/a.yml", R"(
groups:
- name: one
  interval: 90s
  limit: 7
  rules:
  - {record: "a:b", expr: x + 1}
  - alert: Hot
    expr: temp > 80
    for: 1m30s
    keep_firing_for: 500ms
    labels: {level: high}
    annotations: {text: "<it>"}
- name: two
  rules:
  - {record: "c:d", expr: y, labels: {level: low}}
)");
    for (rules::RuleGroup& group : GroupsOf("/b.yml", R"(
groups:
- name: one
  rules: [{alert: Cold, expr: temp < 1}]
- name: other
  tenant: team
  rules: [{alert: Cold, expr: temp < 1}]
)")) {
      groups.push_back(std::move(group));
    }
    runner_.Configure(std::move(groups), {});
  }

  static std::vector<rules::RuleGroup> GroupsOf(const std::string& path, const std::string& yaml) {
    auto groups = rules::ParseRuleFile(yaml, path, {});
    EXPECT_TRUE(groups.ok()) << groups.status();
    return *std::move(groups);
  }

  Response Rules(const std::string& parameters) {
    Request request;
    request.method = "GET";
    request.target = "/api/v1/rules?" + parameters;
    Call call{Form::Of(request)};
    call.data = std::make_shared<const tenants::DataView>(
        std::vector<std::shared_ptr<tenants::Tenant>>{*tenants_.ForWriting("")}, std::nullopt);
    return HandleRules(call, &runner_);
  }

  // "GROUP: RULE RULE" of each group, with the file's letter before its name.
  std::string Names(const std::string& parameters) {
    const std::string body = Rules(parameters).body;
    std::string names;
    constexpr std::string_view kName = R"("name":")";
    for (size_t at = body.find(kName); at != body.npos; at = body.find(kName, at)) {
      at += kName.size();
      const size_t end = body.find('"', at);
      const std::string name = body.substr(at, end - at);
      const size_t file = body.find(R"(","file":"/)", end) == end ? end + 11 : body.npos;
      if (file != body.npos) {
        names += (names.empty() ? "" : " ") + body.substr(file, 1) + "." + name + ":";
      } else {
        names += " " + name;
      }
    }
    return names;
  }

  MemoryStorage storage_;
  tenants::Tenants tenants_{storage_, nullptr, {.engine = {.threads = 1}}};
  rules::RuleRunner runner_{rules::RuleRunnerOptions{}};
};

// RuleGroup, AlertingRule and RecordingRule of Prometheus' API, before the first evaluation.
TEST_F(RuleHandlersTest, ARuleHasTheFieldsOfItsKind) {
  const std::string never = R"("evaluationTime":0,"lastEvaluation":"0001-01-01T00:00:00Z")";
  const std::string alert =
      R"({"state":"unknown","name":"Hot","query":"temp \u003e 80","duration":90,)"
      R"("keepFiringFor":0.5,"labels":{"level":"high"},"annotations":{"text":"<it>"},"alerts":[],)"
      R"("health":"unknown",)" +
      never + R"(,"type":"alerting"})";
  EXPECT_EQ(Rules("rule_group[]=one&file[]=/a.yml").body,
            R"({"status":"success","data":{"groups":[{"name":"one","file":"/a.yml","rules":[)"
            R"({"name":"a:b","query":"x + 1","health":"unknown",)" +
                never + R"(,"type":"recording"},)" + alert + R"(],"interval":90,"limit":7,)" +
                never + "}]}}");
  EXPECT_THAT(Rules("rule_group[]=two").body,
              HasSubstr(R"({"name":"c:d","query":"y","labels":{"level":"low"},"health")"));
  const std::string without = Rules("exclude_alerts=true").body;
  EXPECT_THAT(without, HasSubstr(R"("alerts":null)"));
  EXPECT_THAT(without, Not(HasSubstr(R"("alerts":[])")));
}

TEST_F(RuleHandlersTest, OnlyWhatIsAskedForIsListed) {
  const struct {
    std::string parameters;
    std::string names;
  } rows[] = {
      {"", "a.one: a:b Hot a.two: c:d b.one: Cold"},
      {"type=alert", "a.one: Hot b.one: Cold"},
      {"type=record", "a.one: a:b a.two: c:d"},
      {"rule_name[]=Hot", "a.one: Hot"},
      {"rule_name[]=Hot&rule_name[]=Cold", "a.one: Hot b.one: Cold"},
      {"rule_name[]=none", ""},
      {"rule_group[]=one", "a.one: a:b Hot b.one: Cold"},
      {"file[]=/a.yml", "a.one: a:b Hot a.two: c:d"},
      {"rule_group[]=one&file[]=/b.yml", "b.one: Cold"},
      {"rule_group[]=one&type=record", "a.one: a:b"},
      {"rule_group[]=two&type=alert", ""},
      {"match[]={level=\"high\"}", "a.one: Hot"},
      {"match[]={level=\"high\"}&match[]={level=\"low\"}", "a.one: Hot a.two: c:d"},
      {"match[]={level=~\"high|low\",level!=\"low\"}", "a.one: Hot"},
      {"match[]={level=~\".%2B\"}", "a.one: Hot a.two: c:d"},
  };
  for (const auto& row : rows) EXPECT_EQ(Names(row.parameters), row.names) << row.parameters;
}

TEST_F(RuleHandlersTest, PagesFollowOneAnother) {
  const auto token = [](const std::string& body) {
    constexpr std::string_view kToken = R"("groupNextToken":")";
    const size_t at = body.find(kToken);
    return at == body.npos ? "" : body.substr(at + kToken.size(), 16);
  };
  for (const std::string& filter : {std::string(), std::string("type=alert&")}) {
    std::string names;
    std::string parameters = filter + "group_limit=1";
    size_t pages = 0;
    while (true) {
      const std::string next = token(Rules(parameters).body);
      names += (names.empty() ? "" : " ") + Names(parameters);
      ++pages;
      ASSERT_LE(pages, 3u);
      if (next.empty()) break;
      parameters = filter + "group_limit=1&group_next_token=" + next;
    }
    EXPECT_EQ(names, Names(filter));
    EXPECT_EQ(pages, filter.empty() ? 3u : 2u);
  }
  EXPECT_EQ(Names("group_limit=2"), "a.one: a:b Hot a.two: c:d");
  EXPECT_NE(token(Rules("group_limit=2").body), "");
  EXPECT_EQ(token(Rules("group_limit=3").body), "");
  for (const std::string parameters :
       {"group_limit=0", "group_limit=-1", "group_limit=x", "group_next_token=0",
        "group_limit=1&group_next_token=0", "type=x", "exclude_alerts=x", "match[]={"}) {
    EXPECT_EQ(Rules(parameters).status, 400) << parameters;
  }
}

// Rules after their first evaluation, over an empty store.
class EvaluatedRulesTest : public RuleHandlersTest {
 protected:
  EvaluatedRulesTest() {
    runner_.Configure(GroupsOf("/c.yml", R"-(
groups:
- name: g
  interval: 100ms
  rules:
  - {alert: Firing, expr: vector(0.1), labels: {level: high}, annotations: {text: "at {{ $value }}"}}
  - {alert: Pending, expr: vector(123456), for: 1h}
  - {alert: Inactive, expr: vector(1) > 2}
  - {alert: Zero, expr: vector(0)}
  - {alert: Third, expr: -vector(1) / 3}
  - {alert: Endless, expr: vector(1) / 0}
  - {alert: EndlessBelow, expr: vector(-1) / 0}
  - {alert: NoNumber, expr: vector(0) / 0}
  - {record: "good:rule", expr: vector(1)}
  - {record: "bad:rule", expr: "vector(1) + on() (label_replace(vector(1), 'a', 'b', '', '') or vector(1))"}
)-"),
                      {});
    runner_.Start(
        [this](const std::string&) {
          return rules::RuleHome{
              .storage = &storage_,
              .engine = &tenants_.Default().rule_engine,
              .store = [](const DecodedWrite&, Ingester::Done done) { done(WriteSummary()); }};
        },
        [](const rules::Rule&, const std::vector<rules::Alert>&) {});
    while (runner_.groups()[0].last_evaluation_ms == 0) std::this_thread::yield();
  }
  ~EvaluatedRulesTest() override { runner_.Stop(); }

  std::string Alerts() {
    Call call;
    call.data = std::make_shared<const tenants::DataView>(
        std::vector<std::shared_ptr<tenants::Tenant>>{*tenants_.ForWriting("")}, std::nullopt);
    return HandleAlerts(call, &runner_).body;
  }
  // What is between `begin` and the next `end` of `text`.
  static std::string Between(const std::string& text, const std::string& begin,
                             const std::string& end) {
    const size_t at = text.find(begin);
    if (at == text.npos) return "none";
    return text.substr(at + begin.size(), text.find(end, at + begin.size()) - at - begin.size());
  }
};

// As Go's strconv.FormatFloat(value, 'e', -1, 64) prints them.
TEST_F(EvaluatedRulesTest, ValuesOfAlertsHaveExponents) {
  const std::string body = Alerts();
  const std::pair<std::string, std::string> values[] = {
      {"Firing", "1e-01"}, {"Pending", "1.23456e+05"},
      {"Zero", "0e+00"},   {"Third", "-3.333333333333333e-01"},
      {"Endless", "+Inf"}, {"EndlessBelow", "-Inf"},
      {"NoNumber", "NaN"}};
  for (const auto& [name, value] : values) {
    const size_t at = body.find(R"("alertname":")" + name + '"');
    ASSERT_NE(at, body.npos) << name;
    EXPECT_EQ(Between(body.substr(at), R"("value":")", "\""), value) << name;
  }
  EXPECT_THAT(body, Not(HasSubstr("Inactive")));
}

TEST_F(EvaluatedRulesTest, AnAlertHasItsLabelsAnnotationsAndState) {
  const std::string body = Alerts();
  EXPECT_THAT(body, testing::StartsWith(
                        R"({"status":"success","data":{"alerts":[{"labels":{"alertname":"Firing",)"
                        R"("level":"high"},"annotations":{"text":"at 0.1"},"state":"firing",)"
                        R"("activeAt":"20)"));
  EXPECT_THAT(body, HasSubstr(R"({"labels":{"alertname":"Pending"},"annotations":{},)"
                              R"("state":"pending","activeAt":"20)"));
  EXPECT_THAT(body, Not(HasSubstr("keepFiringSince")));
}

TEST_F(EvaluatedRulesTest, TheStateOfARuleIsThatOfItsFurthestAlert) {
  const std::string body = Rules("").body;
  EXPECT_THAT(body, HasSubstr(R"("state":"firing","name":"Firing")"));
  EXPECT_THAT(body, HasSubstr(R"("state":"pending","name":"Pending")"));
  EXPECT_THAT(body, HasSubstr(R"("state":"inactive","name":"Inactive")"));
}

TEST_F(EvaluatedRulesTest, WhatFailedIsTold) {
  const std::string body = Rules("type=record").body;
  EXPECT_THAT(Between(body, R"("name":"good:rule")", "}"),
              testing::AllOf(HasSubstr(R"("health":"ok")"), Not(HasSubstr("lastError")),
                             HasSubstr(R"("lastEvaluation":"20)")));
  EXPECT_THAT(
      Between(body, R"("name":"bad:rule")", "}"),
      testing::AllOf(HasSubstr(R"("health":"err","lastError":")"), HasSubstr("match group")));
  EXPECT_THAT(Between(body, R"("interval":0.1,)", "]"), HasSubstr(R"("lastEvaluation":"20)"));
}

TEST(AlertmanagersTest, ThoseThatGetAlertsAndThoseThatDoNot) {
  EXPECT_EQ(HandleAlertmanagers(nullptr).body,
            R"({"status":"success","data":{"activeAlertmanagers":[],"droppedAlertmanagers":[]}})");
  auto config = rules::ParseRulesConfig(R"(
alerting:
  alertmanagers:
  - path_prefix: /am
    static_configs: [{targets: ["am.example:1", "drop.example:2"]}]
    relabel_configs: [{source_labels: [__address__], regex: "drop.*", action: drop}]
)",
                                        "/a.yml");
  ASSERT_TRUE(config.ok()) << config.status();
  rules::Notifier notifier("http://self.example");
  notifier.Configure(*std::move(config));
  while (notifier.alertmanagers().active.empty()) std::this_thread::yield();
  EXPECT_EQ(HandleAlertmanagers(&notifier).body,
            R"({"status":"success","data":{)"
            R"("activeAlertmanagers":[{"url":"http://am.example:1/am/api/v2/alerts"}],)"
            R"("droppedAlertmanagers":[{"url":"http://drop.example:2/am/api/v2/alerts"}]}})");
}

}  // namespace
}  // namespace lockstep::api
