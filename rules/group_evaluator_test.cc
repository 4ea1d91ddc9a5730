#include "rules/group_evaluator.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/clock.h"
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

TEST_F(GroupEvaluatorTest, RulesLookBackByTheOffsetOfTheirGroup) {
  GroupEvaluator group(
      Group("{record: r, expr: temp}, {alert: Hot, expr: temp > 80}", "query_offset: 1m, "),
      context_, true);
  Append("temp", 1, 81);
  Append("temp", 2, 90);
  group.Evaluate(2 * kMinuteMs);
  EXPECT_EQ(Ask("r", 1), "r{gpu=\"1\"} 81\n");
  EXPECT_EQ(Ask("timestamp(r)", 2), "{gpu=\"1\"} 60\n");
  EXPECT_EQ(Ask("timestamp(ALERTS)", 2),
            "{alertname=\"Hot\", alertstate=\"firing\", gpu=\"1\"} 60\n");
  const Alert alert = group.status().rules[1].alerts.at(0);
  EXPECT_EQ(alert.value, 81);
  EXPECT_EQ(alert.active_at_ms, 2 * kMinuteMs);
  // Markers have the same time as samples.
  storage_.Append(LabelSet::Of({{"__name__", "temp"}, {"gpu", "1"}}), 2 * kMinuteMs + 1,
                  StaleNan());
  group.Evaluate(3 * kMinuteMs + 1);
  EXPECT_EQ(Ask("r", 2), "r{gpu=\"1\"} 81\n");
  EXPECT_EQ(Ask("r", 3), "");
}

TEST_F(GroupEvaluatorTest, TheLimitOfTheGroupIsThatOfEachRule) {
  for (const char* name : {"a", "b"}) {
    storage_.Append(LabelSet::Of({{"__name__", "temp"}, {"gpu", name}}), kMinuteMs, 81);
  }
  GroupEvaluator above(Group("{record: r, expr: temp}, {alert: Hot, expr: temp}", "limit: 1, "),
                       context_, true);
  above.Evaluate(kMinuteMs);
  EXPECT_EQ(above.status().rules[0].last_error, "exceeded limit of 1 with 2 series");
  EXPECT_EQ(above.status().rules[1].last_error, "exceeded limit of 1 with 2 alerts");
  GroupEvaluator at(Group("{record: r, expr: temp}, {alert: Hot, expr: temp}", "limit: 2, "),
                    context_, true);
  at.Evaluate(kMinuteMs);
  EXPECT_EQ(at.status().failures, 0u);
  EXPECT_EQ(at.status().rules[1].alerts.size(), 2u);
}

TEST_F(GroupEvaluatorTest, CountsWhatItDoes) {
  GroupEvaluator group(Group("{record: r, expr: temp}, {alert: Hot, expr: temp > 80}, "
                             "{record: bad, expr: \"temp / on() group_left() temp\"}"),
                       context_, true);
  EXPECT_EQ(group.status().last_evaluation_ms, 0);
  EXPECT_EQ(group.status().rules[0].last_evaluation_ms, 0);
  for (const char* gpu : {"1", "2"}) {
    storage_.Append(LabelSet::Of({{"__name__", "temp"}, {"gpu", gpu}}), kMinuteMs, 81);
  }
  const int64_t before_ms = SystemTimeMs();
  for (int i = 0; i < 2; ++i) group.Evaluate(kMinuteMs);
  const GroupStatus status = group.status();
  EXPECT_EQ(status.evaluations, 6u);
  EXPECT_EQ(status.failures, 2u);
  // Of the last evaluation: two of the first rule and four of the second.
  EXPECT_EQ(status.samples, 6u);
  EXPECT_GE(status.last_evaluation_ms, before_ms);
  EXPECT_LE(status.last_evaluation_ms, SystemTimeMs());
  EXPECT_GT(status.evaluation_seconds, 0);
  for (const RuleStatus& rule : status.rules) {
    EXPECT_GE(rule.last_evaluation_ms, before_ms);
    EXPECT_GT(rule.evaluation_seconds, 0);
    EXPECT_LE(rule.evaluation_seconds, status.evaluation_seconds);
  }
}

TEST_F(GroupEvaluatorTest, WhatCannotBeStoredIsAFailureAndTriedAgain) {
  const auto write = context_.write;
  bool is_full = false;
  context_.write = [&](const engine::VectorResult& samples) {
    return is_full ? absl::UnavailableError("full") : write(samples);
  };
  GroupEvaluator group(Group("{record: r, expr: temp}"), context_, true);
  Append("temp", 1, 20);
  group.Evaluate(kMinuteMs);
  is_full = true;
  storage_.Append(LabelSet::Of({{"__name__", "temp"}, {"gpu", "1"}}), 2 * kMinuteMs, StaleNan());
  group.Evaluate(2 * kMinuteMs);
  EXPECT_EQ(group.status().rules[0].last_error, "full");
  EXPECT_EQ(group.status().rules[0].health, RuleHealth::kBad);
  EXPECT_EQ(group.status().failures, 1u);
  is_full = false;
  group.Evaluate(3 * kMinuteMs);
  EXPECT_EQ(group.status().rules[0].last_error, "");
  EXPECT_EQ(Ask("r", 3), "");
}

TEST_F(GroupEvaluatorTest, NothingIsWrittenWhereNothingIs) {
  int writes = 0;
  context_.write = [&](const engine::VectorResult&) {
    ++writes;
    return absl::OkStatus();
  };
  GroupEvaluator group(Group("{record: r, expr: temp}"), context_, true);
  group.Evaluate(kMinuteMs);
  group.Retire(2 * kMinuteMs);
  EXPECT_EQ(writes, 0);
}

TEST_F(GroupEvaluatorTest, AnAlertHasTheSameSourceAlsoInTheNextConfiguration) {
  std::vector<uint64_t> sources;
  context_.tell = [&](const Rule&, const std::vector<Alert>& alerts) {
    for (const Alert& alert : alerts) sources.push_back(alert.source);
  };
  const std::string hot = "{alert: Hot, expr: temp > 80, labels: {a: '1'}}";
  for (const char* gpu : {"1", "2"}) {
    storage_.Append(LabelSet::Of({{"__name__", "temp"}, {"gpu", gpu}}), kMinuteMs, 81);
  }
  GroupEvaluator(Group(hot + "," + hot), context_, true).Evaluate(kMinuteMs);
  ASSERT_EQ(sources.size(), 4u);
  EXPECT_EQ(std::set<uint64_t>(sources.begin(), sources.end()).size(), 4u);
  const std::vector<uint64_t> before = std::exchange(sources, {});
  GroupEvaluator(Group("{record: r, expr: temp}," + hot), context_, true).Evaluate(kMinuteMs);
  EXPECT_EQ(sources, std::vector<uint64_t>(before.begin(), before.begin() + 2));
}

TEST_F(GroupEvaluatorTest, AlertsMayBeToldToNobody) {
  context_.tell = nullptr;
  GroupEvaluator group(Group("{alert: Hot, expr: temp > 80}"), context_, true);
  Append("temp", 1, 81);
  group.Evaluate(kMinuteMs);
  group.TellOfExpiring(2 * kMinuteMs);
  EXPECT_EQ(group.status().rules[0].health, RuleHealth::kGood);
}

TEST_F(GroupEvaluatorTest, RestoresOnlyAlertsThatWaitLong) {
  const LabelSet past =
      LabelSet::Of({{"__name__", "ALERTS_FOR_STATE"}, {"alertname", "Hot"}, {"gpu", "1"}});
  const auto restored_at = [&](const std::string& hold, double value) {
    storage_.Clear();
    storage_.Append(past, 20 * kMinuteMs, value);
    Append("temp", 25, 81);
    GroupEvaluator group(Group("{alert: Hot, expr: temp > 80, for: " + hold + "}"), context_,
                         false);
    EXPECT_FALSE(group.is_restored());
    group.Evaluate(25 * kMinuteMs);
    group.Restore(25 * kMinuteMs);
    EXPECT_TRUE(group.is_restored());
    return group.status().rules[0].alerts.at(0).active_at_ms / kMinuteMs;
  };
  // Ten minutes is the grace period. It was active since minute 15, so 5 minutes were left, and
  // none with a shorter time.
  EXPECT_EQ(restored_at("10m", 15 * 60), 25);
  EXPECT_EQ(restored_at("599s", 15 * 60), 25);
  EXPECT_EQ(restored_at("10m", 9 * 60), 9);
  EXPECT_EQ(restored_at("599s", 9 * 60), 25);
  EXPECT_EQ(restored_at("30m", std::numeric_limits<double>::infinity()), 25);
  // Exactly the grace period was left: it goes on after the gap of five minutes.
  EXPECT_EQ(restored_at("15m", 15 * 60), 20);
  // It had waited for exactly its time.
  EXPECT_EQ(restored_at("15m", 5 * 60), 5);
}

TEST_F(GroupEvaluatorTest, RestoresEachRuleFromItsOwnSeries) {
  for (const char* name : {"Hot", "Hotter"}) {
    storage_.Append(
        LabelSet::Of({{"__name__", "ALERTS_FOR_STATE"}, {"alertname", name}, {"gpu", "1"}}),
        20 * kMinuteMs, name == std::string("Hot") ? -40 * 60 : -50 * 60);
  }
  Append("temp", 25, 81);
  GroupEvaluator group(Group("{record: r, expr: temp}, {alert: Quick, expr: temp > 80},"
                             "{alert: Hot, expr: temp > 80, for: 30m},"
                             "{alert: Hotter, expr: temp > 80, for: 30m}"),
                       context_, false);
  group.Evaluate(25 * kMinuteMs);
  group.Restore(25 * kMinuteMs);
  const GroupStatus status = group.status();
  EXPECT_EQ(status.rules[1].alerts.at(0).active_at_ms, 25 * kMinuteMs);
  EXPECT_EQ(status.rules[2].alerts.at(0).active_at_ms, -40 * kMinuteMs);
  EXPECT_EQ(status.rules[3].alerts.at(0).active_at_ms, -50 * kMinuteMs);
}

TEST_F(GroupEvaluatorTest, WithoutAStoreNothingIsRestored) {
  context_.storage = nullptr;
  GroupEvaluator group(Group("{alert: Hot, expr: temp > 80, for: 30m}"), context_, false);
  Append("temp", 1, 81);
  group.Evaluate(kMinuteMs);
  EXPECT_EQ(Ask("ALERTS", 1), "");
  group.Restore(kMinuteMs);
  group.Evaluate(kMinuteMs);
  EXPECT_NE(Ask("ALERTS", 1), "");
}

TEST_F(GroupEvaluatorTest, EachOfTwoEqualRulesKeepsItsState) {
  const std::string rule = "{record: r, expr: temp}";
  const std::string other = "{record: r, expr: temp, labels: {a: b}}";
  GroupEvaluator before(Group(rule + "," + other), context_, true);
  Append("temp", 1, 20);
  before.Evaluate(kMinuteMs);
  GroupEvaluator after(Group(other), context_, false);
  after.TakeOver(before);
  EXPECT_TRUE(after.is_restored());
  Append("temp", 2, 20);
  after.Evaluate(2 * kMinuteMs);
  // The series of the rule that has gone is over.
  EXPECT_EQ(Ask("r", 2), "r{a=\"b\", gpu=\"1\"} 20\n");
  // Its marker is written once.
  after.Evaluate(3 * kMinuteMs);
  EXPECT_EQ(Ask("count_over_time(r[10m])", 3), "{a=\"b\", gpu=\"1\"} 3\n{gpu=\"1\"} 1\n");
}

TEST_F(GroupEvaluatorTest, AGroupThatGoesAtOnceMarksWhatItTookOver) {
  GroupEvaluator before(Group("{record: r, expr: temp}"), context_, true);
  Append("temp", 1, 20);
  before.Evaluate(kMinuteMs);
  GroupEvaluator between(Group("{record: s, expr: temp}"), context_, true);
  between.TakeOver(before);
  GroupEvaluator after(Group("{record: t, expr: temp}"), context_, true);
  after.TakeOver(between);
  after.Retire(2 * kMinuteMs);
  EXPECT_EQ(Ask("r", 2), "");
  EXPECT_EQ(Ask("r", 1), "r{gpu=\"1\"} 20\n");
}

}  // namespace
}  // namespace lockstep::rules
