#include "rules/group_evaluator.h"

#include <gtest/gtest.h>

#include "absl/strings/str_format.h"
#include "base/text/float_format.h"
#include "query/engine/engine.h"
#include "rules/config/rule_file.h"
#include "tests/memory_storage.h"

namespace lockstep::rules {
namespace {

constexpr int64_t kMinuteMs = 60'000;

// A store, an engine over it, and rules that are evaluated with both once per minute.
class GroupEvaluatorTest : public testing::Test {
 protected:
  GroupEvaluatorTest() : engine_(storage_, {.threads = 1}) {
    context_.query = [this](std::string_view text,
                            int64_t time_ms) -> absl::StatusOr<engine::VectorResult> {
      QueryBudget budget(1'000'000, QueryBudget::Clock::time_point::max());
      auto result = engine_.Execute(engine::InstantQuery{text, time_ms, 0, {}}, budget);
      if (!result.ok()) return result.status();
      return std::get<engine::VectorResult>(result->value);
    };
    context_.write = [this](const engine::VectorResult& samples) {
      for (const auto& sample : samples) {
        storage_.Append(sample.labels, sample.timestamp_ms, sample.value);
      }
      return absl::OkStatus();
    };
    context_.tell = [this](const Rule& rule, const std::vector<Alert>& alerts) {
      for (const Alert& alert : alerts) told_ += rule.name + ":" + std::string(Name(alert.state));
    };
    context_.storage = &storage_;
  }

  std::shared_ptr<const RuleGroup> Group(const std::string& rules, const std::string& more = "") {
    auto groups = ParseRuleFile(
        "groups: [{name: g, interval: 1m, " + more + "rules: [" + rules + "]}]\n", "/r.yml", {});
    EXPECT_TRUE(groups.ok()) << groups.status();
    return std::make_shared<const RuleGroup>(groups->front());
  }

  void Append(std::string_view name, int64_t minute, double value) {
    storage_.Append(LabelSet::Of({{"__name__", name}, {"gpu", "1"}}), minute * kMinuteMs, value);
  }

  // The result of an instant query, "labels value" each.
  std::string Ask(std::string_view text, int64_t minute) {
    std::string answer;
    const auto elements = context_.query(text, minute * kMinuteMs);
    for (const auto& element : *elements) {
      absl::StrAppendFormat(&answer, "%s %s\n", element.labels.ToString(),
                            FormatSampleValue(element.value));
    }
    return answer;
  }

  MemoryStorage storage_;
  engine::Engine engine_;
  RuleContext context_;
  std::string told_;
};

TEST_F(GroupEvaluatorTest, RulesSeeTheOnesBeforeThemAndMarkWhatIsGone) {
  GroupEvaluator group(Group("{record: twice, expr: 2 * temp, labels: {by: rule}},"
                             "{record: fourfold, expr: 2 * twice}"),
                       context_, true);
  Append("temp", 1, 20);
  group.Evaluate(1 * kMinuteMs);
  EXPECT_EQ(Ask("fourfold", 1), "fourfold{by=\"rule\", gpu=\"1\"} 80\n");
  storage_.Append(LabelSet::Of({{"__name__", "temp"}, {"gpu", "1"}}), 2 * kMinuteMs, StaleNan());
  group.Evaluate(2 * kMinuteMs);
  EXPECT_EQ(Ask("{__name__=~\"twice|fourfold\"}", 2), "");
  EXPECT_EQ(Ask("fourfold offset 1m", 2), "fourfold{by=\"rule\", gpu=\"1\"} 80\n");
}

TEST_F(GroupEvaluatorTest, SaysWhatIsWrongAndGoesOn) {
  GroupEvaluator group(Group("{record: bad, expr: \"temp / on() group_left() {__name__=~'a|b'}\"},"
                             "{record: good, expr: temp}"),
                       context_, true);
  EXPECT_EQ(group.status().rules[0].health, RuleHealth::kUnknown);
  for (const char* name : {"temp", "a", "b"}) Append(name, 1, 20);
  group.Evaluate(1 * kMinuteMs);
  const GroupStatus status = group.status();
  EXPECT_EQ(status.rules[0].health, RuleHealth::kBad);
  EXPECT_NE(status.rules[0].last_error, "");
  EXPECT_EQ(status.rules[1].health, RuleHealth::kGood);
  EXPECT_EQ(status.failures, 1u);
  EXPECT_EQ(Ask("good", 1), "good{gpu=\"1\"} 20\n");
}

TEST_F(GroupEvaluatorTest, AlertsArePendingThenFireAndEnd) {
  GroupEvaluator group(
      Group("{alert: Hot, expr: temp > 80, for: 1m, labels: {level: '{{ $value }}'},"
            " annotations: {text: 'GPU {{ $labels.gpu }}'}}"),
      context_, true);
  for (const int64_t minute : {1, 2}) {
    Append("temp", minute, 81);
    group.Evaluate(minute * kMinuteMs);
  }
  EXPECT_EQ(Ask("ALERTS", 2),
            "ALERTS{alertname=\"Hot\", alertstate=\"firing\", gpu=\"1\", level=\"81\"} 1\n");
  EXPECT_EQ(Ask("ALERTS_FOR_STATE", 2),
            "ALERTS_FOR_STATE{alertname=\"Hot\", gpu=\"1\", level=\"81\"} 60\n");
  ASSERT_EQ(group.status().rules[0].alerts.size(), 1u);
  EXPECT_EQ(group.status().rules[0].alerts[0].annotations.at("text"), "GPU 1");
  Append("temp", 3, 20);
  group.Evaluate(3 * kMinuteMs);
  EXPECT_EQ(Ask("ALERTS", 3), "");
  EXPECT_TRUE(group.status().rules[0].alerts.empty());
  EXPECT_EQ(told_, "Hot:firingHot:inactive");
}

TEST_F(GroupEvaluatorTest, AlertsGoOnInRoundsThatTakeLongerThanTheyAreValid) {
  int64_t now_ms = 0;
  std::vector<int64_t> left_min;  // how long it is valid when sent
  context_.now_ms = [&now_ms] { return now_ms; };
  context_.tell = [&](const Rule&, const std::vector<Alert>& alerts) {
    for (const Alert& alert : alerts) {
      left_min.push_back((alert.valid_until_ms - now_ms) / kMinuteMs);
    }
  };
  const auto ask = context_.query;
  GroupEvaluator group(Group("{alert: Hot, expr: temp > 80}, {record: slow, expr: temp * 2}"),
                       context_, true);
  context_.query = [&](std::string_view text, int64_t time_ms) {
    if (text.find("80") == std::string_view::npos) {
      for (int i = 0; i < 10; ++i) group.TellOfExpiring(now_ms += kMinuteMs);
    }
    return ask(text, time_ms);
  };
  Append("temp", 1, 81);
  now_ms = 2 * kMinuteMs;
  group.Evaluate(1 * kMinuteMs);
  // Valid for four minutes and sent again after half of them.
  EXPECT_EQ(left_min, std::vector<int64_t>({4, 4, 4, 4, 4, 4}));
}

TEST_F(GroupEvaluatorTest, AlertsAreToldWithTheirTenant) {
  std::string labels;
  context_.tell = [&](const Rule&, const std::vector<Alert>& alerts) {
    for (const Alert& alert : alerts) labels = alert.labels.ToString();
  };
  const struct {
    std::string series;
    std::string rule_labels;
    std::string tenant;
    std::string told;
  } rows[] = {
      {"{gpu=\"1\"}", "", "", R"({alertname="A", gpu="1"})"},
      {"{gpu=\"1\"}", "", "tenant: team-a, ", R"({alertname="A", gpu="1", tenant="team-a"})"},
      {"{gpu=\"1\"}", "", "tenant: default, ", R"({alertname="A", gpu="1"})"},
      {"{tenant=\"b\"}", "", "", R"({alertname="A", tenant="b"})"},
      {"{tenant=\"b\"}", "", "tenant: team-a, ",
       R"({alertname="A", exported_tenant="b", tenant="team-a"})"},
      {"{gpu=\"1\"}", "labels: {tenant: x}, ", "tenant: team-a, ",
       R"({alertname="A", gpu="1", tenant="x"})"},
      {"{gpu=\"1\"}", "labels: {tenant: \"\"}, ", "tenant: team-a, ",
       R"({alertname="A", gpu="1"})"},
  };
  for (const auto& row : rows) {
    context_.query = [&](std::string_view,
                         int64_t time_ms) -> absl::StatusOr<engine::VectorResult> {
      const bool has_gpu = row.series.find("gpu") != row.series.npos;
      LabelSet of = has_gpu ? LabelSet::Of({{"gpu", "1"}}) : LabelSet::Of({{"tenant", "b"}});
      return engine::VectorResult{{std::move(of), time_ms, 1, nullptr}};
    };
    labels.clear();
    GroupEvaluator group(Group("{alert: A, " + row.rule_labels + "expr: vector(1)}", row.tenant),
                         context_, true);
    group.Evaluate(kMinuteMs);
    EXPECT_EQ(labels, row.told);
    // Within the tenant, they are the same as in Prometheus.
    ASSERT_EQ(group.status().rules[0].alerts.size(), 1u);
    EXPECT_EQ(group.status().rules[0].alerts[0].labels.Get("exported_tenant"), "");
  }
}

TEST_F(GroupEvaluatorTest, AlertsOfARuleThatFailsAreNotToldAgain) {
  GroupEvaluator group(Group("{alert: Hot, expr: temp > 80}"), context_, true);
  Append("temp", 1, 81);
  group.Evaluate(1 * kMinuteMs);
  EXPECT_EQ(told_, "Hot:firing");
  context_.query = [](std::string_view, int64_t) { return absl::DeadlineExceededError("slow"); };
  group.Evaluate(2 * kMinuteMs);
  group.TellOfExpiring(4 * kMinuteMs);
  EXPECT_EQ(told_, "Hot:firing");
}

// A server that was down from minute 20 on, and what its successor restores at minute `back`.
struct Outage {
  int64_t active_since = 0;
  int64_t back = 0;
  int64_t restored = 0;  // when the alert became active, in minutes
};

TEST_F(GroupEvaluatorTest, PendingAlertsGoOnWhereTheyWere) {
  const auto rule = Group("{alert: Hot, expr: temp > 80, for: 30m}");
  for (const Outage& outage : {
           Outage{0, 25, 5},      // 10 minutes were left: they start again after the gap
           Outage{-5, 25, 5},     // 5 were left: no sooner than the grace period of 10 minutes
           Outage{-40, 25, -40},  // it was already firing
           Outage{0, 85, 85},     // down for more than an hour: as if new
       }) {
    storage_.Clear();
    const LabelSet past =
        LabelSet::Of({{"__name__", "ALERTS_FOR_STATE"}, {"alertname", "Hot"}, {"gpu", "1"}});
    storage_.Append(past, 20 * kMinuteMs, static_cast<double>(outage.active_since) * 60);
    Append("temp", outage.back, 81);
    GroupEvaluator group(rule, context_, false);
    group.Evaluate(outage.back * kMinuteMs);
    EXPECT_EQ(Ask("ALERTS", outage.back), "");
    group.Restore(outage.back * kMinuteMs);
    EXPECT_EQ(group.status().rules[0].alerts.at(0).active_at_ms, outage.restored * kMinuteMs);
  }
}

TEST_F(GroupEvaluatorTest, StateGoesOverToTheNextConfiguration) {
  GroupEvaluator before(Group("{alert: Hot, expr: temp > 80, for: 1m}, {record: gone, expr: temp}"),
                        context_, true);
  Append("temp", 1, 81);
  before.Evaluate(1 * kMinuteMs);
  GroupEvaluator after(Group("{alert: Hot, expr: temp > 70, for: 1m}"), context_, true);
  after.TakeOver(before);
  Append("temp", 2, 75);
  after.Evaluate(2 * kMinuteMs);
  EXPECT_EQ(Ask("ALERTS", 2), "ALERTS{alertname=\"Hot\", alertstate=\"firing\", gpu=\"1\"} 1\n");
  EXPECT_EQ(Ask("gone", 2), "");
  after.Retire(3 * kMinuteMs);
  EXPECT_EQ(Ask("ALERTS_FOR_STATE", 3), "");
}

}  // namespace
}  // namespace lockstep::rules
