#include "api/prometheus/rule_handlers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "rules/config/rule_file.h"
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

}  // namespace
}  // namespace lockstep::api
