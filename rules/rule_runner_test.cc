#include "rules/rule_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "rules/config/rule_file.h"
#include "tests/memory_storage.h"

namespace lockstep::rules {
namespace {

constexpr std::chrono::seconds kPatience{30};

// Stores all series, but delays the result for the series "slow" until Release().
class StallingStore {
 public:
  void Write(const DecodedWrite& write, Ingester::Done done) {
    const bool is_slow = std::ranges::any_of(write.request.series, [](const auto& series) {
      return series.labels.metric_name().starts_with("slow");
    });
    const MutexLock lock(mutex_);
    if (!is_slow || is_released_) return done(WriteSummary());
    stalled_.push_back(std::move(done));
    changed_.NotifyAll();
  }

  void CountTelling() {
    const MutexLock lock(mutex_);
    ++tellings_;
    changed_.NotifyAll();
  }

  // Returns false if it takes too long.
  bool AwaitStalled(size_t count) {
    return Await([&]() LOCKSTEP_REQUIRES(mutex_) { return stalled_.size() >= count; });
  }
  bool AwaitTellings(size_t more) {
    size_t before = 0;
    {
      const MutexLock lock(mutex_);
      before = tellings_;
    }
    return Await([&]() LOCKSTEP_REQUIRES(mutex_) { return tellings_ >= before + more; });
  }

  void Release() {
    const MutexLock lock(mutex_);
    is_released_ = true;
    for (Ingester::Done& done : stalled_) done(WriteSummary());
    stalled_.clear();
  }

 private:
  template <typename Condition>
  bool Await(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    const MutexLock lock(mutex_);
    while (!condition()) {
      const auto left = deadline - std::chrono::steady_clock::now();
      if (left <= std::chrono::nanoseconds(0)) return false;
      changed_.WaitFor(mutex_, left);
    }
    return true;
  }

  Mutex mutex_;
  CondVar changed_;
  bool is_released_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  size_t tellings_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  std::vector<Ingester::Done> stalled_ LOCKSTEP_GUARDED_BY(mutex_);
};

std::vector<RuleGroup> GroupsWith(int slow_count) {
  std::string yaml =
      "groups:\n- {name: quick, interval: 200ms, rules: [{alert: On, expr: vector(1)}]}\n";
  for (int i = 0; i < slow_count; ++i) {
    const std::string at = std::to_string(i);
    yaml += "- {name: slow" + at + ", interval: 200ms, rules: [{record: slow" + at +
            ", expr: vector(1)}]}\n";
  }
  auto groups = ParseRuleFile(yaml, "/r.yml", {});
  EXPECT_TRUE(groups.ok()) << groups.status();
  return *std::move(groups);
}

TEST(RuleRunnerTest, AlertsOfAGroupThatWaitsForAThreadGoOn) {
  StallingStore store;
  const MemoryStorage storage;
  const engine::Engine engine(storage, {.threads = 1});
  RuleRunnerOptions options;
  options.timing.resend_delay = milliseconds(200);
  RuleRunner runner(options);
  runner.Configure(GroupsWith(0), {});
  runner.Start(
      [&](const std::string&) {
        return RuleHome{.storage = &storage,
                        .engine = &engine,
                        .store = [&](DecodedWrite write, Ingester::Done done) {
                          store.Write(write, std::move(done));
                        }};
      },
      [&](const Rule&, const std::vector<Alert>&) { store.CountTelling(); });
  EXPECT_TRUE(store.AwaitTellings(1));
  // As many as threads.
  runner.Configure(GroupsWith(4), {});
  EXPECT_TRUE(store.AwaitStalled(4));
  EXPECT_TRUE(store.AwaitTellings(3));
  store.Release();
  runner.Stop();
}

// Notes the metrics that are written, in order; "-NAME" for a stale marker.
class WrittenNames {
 public:
  void Write(const DecodedWrite& write, Ingester::Done done) {
    const MutexLock lock(mutex_);
    for (const SeriesWrite& series : write.request.series) {
      const bool is_stale = IsStaleNan(series.samples.front().value);
      names_.push_back((is_stale ? "-" : "") + std::string(series.labels.metric_name()));
    }
    changed_.NotifyAll();
    done(WriteSummary());
  }

  // The names so far, once `name` has been written `count` times.
  std::vector<std::string> Await(const std::string& name, int64_t count) {
    const MutexLock lock(mutex_);
    while (std::ranges::count(names_, name) < count) changed_.Wait(mutex_);
    return names_;
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  std::vector<std::string> names_ LOCKSTEP_GUARDED_BY(mutex_);
};

class RuleRunnerStateTest : public testing::Test {
 protected:
  static std::vector<RuleGroup> Groups(const std::string& names) {
    std::string yaml = "groups:\n";
    for (const char name : names) {
      yaml += absl::StrFormat(
          "- {name: %c, interval: 200ms, rules: [{record: %c, expr: vector(1)}, "
          "{alert: On, expr: vector(1)}]}\n",
          name, name);
    }
    auto groups = ParseRuleFile(yaml, "/r.yml", {});
    EXPECT_TRUE(groups.ok()) << groups.status();
    return *std::move(groups);
  }

  void Start() {
    runner_.Start(
        [this](const std::string&) {
          return RuleHome{.storage = &storage_,
                          .engine = &engine_,
                          .store = [this](DecodedWrite write, Ingester::Done done) {
                            written_.Write(write, std::move(done));
                          }};
        },
        [](const Rule&, const std::vector<Alert>&) {});
  }

  const MemoryStorage storage_;
  const engine::Engine engine_{storage_, {.threads = 1}};
  WrittenNames written_;
  RuleRunner runner_{RuleRunnerOptions{}};
};

// Two rounds restore pending alerts from what the server wrote before it went down. Until then
// nothing may be written over it.
TEST_F(RuleRunnerStateTest, AlertsOfTheFirstGroupsAreWrittenFromTheThirdRoundOn) {
  runner_.Configure(Groups("a"), {});
  Start();
  const std::vector<std::string> names = written_.Await("ALERTS", 1);
  EXPECT_EQ(std::vector<std::string>(names.begin(), std::ranges::find(names, "ALERTS")),
            std::vector<std::string>({"a", "a", "a"}));
  // Groups that come later have nothing to restore.
  runner_.Configure(Groups("ab"), {});
  written_.Await("b", 1);
  runner_.Configure(Groups("b"), {});
  runner_.Stop();
  const RuleStats stats = runner_.stats();
  EXPECT_GE(stats.group_evaluations, 4u);
  EXPECT_EQ(stats.rule_evaluations, 2 * stats.group_evaluations);
  EXPECT_GT(stats.evaluation_seconds, 0);
  EXPECT_EQ(stats.groups, 1u);
  EXPECT_EQ(stats.rules, 2u);
}

TEST_F(RuleRunnerStateTest, AGroupThatStaysGoesOnAndOneThatGoesEnds) {
  runner_.Configure({}, {});
  runner_.Configure(Groups("ab"), {});
  Start();
  written_.Await("a", 1);
  written_.Await("b", 1);
  written_.Await("ALERTS", 2);
  const int64_t active_at_ms = runner_.groups().at(0).rules.at(1).alerts.at(0).active_at_ms;
  runner_.Configure(Groups("a"), {});
  const std::vector<std::string> names = written_.Await("-b", 1);
  EXPECT_EQ(std::ranges::count(names, "-a"), 0);
  EXPECT_EQ(std::ranges::count(names, "-ALERTS"), 1);
  written_.Await("a", std::ranges::count(names, "a") + 1);
  ASSERT_EQ(runner_.groups().size(), 1u);
  EXPECT_EQ(runner_.groups().at(0).rules.at(1).alerts.at(0).active_at_ms, active_at_ms);
}

TEST_F(RuleRunnerStateTest, BeforeTheStartNothingIsEvaluated) {
  runner_.Configure(Groups("ba"), {});
  const std::vector<GroupStatus> groups = runner_.groups();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].group->name, "b");
  EXPECT_EQ(groups[0].rules.at(0).health, RuleHealth::kUnknown);
  const RuleStats stats = runner_.stats();
  EXPECT_EQ(stats.groups, 2u);
  EXPECT_EQ(stats.rules, 4u);
  EXPECT_EQ(stats.group_evaluations, 0u);
  runner_.Configure({}, {});
  EXPECT_EQ(runner_.stats().groups, 0u);
}

TEST_F(RuleRunnerStateTest, CountsAlertsByTheirState) {
  auto groups = ParseRuleFile(
      "groups: [{name: g, interval: 200ms, rules: [{record: a, expr: vector(1)}, "
      "{alert: Now, expr: vector(1)}, {alert: Later, expr: vector(1), for: 1h}, "
      "{alert: Two, expr: 'label_replace(vector(1), \"a\", \"1\", \"\", \"\") or vector(1)'}]}]\n",
      "/r.yml", {});
  ASSERT_TRUE(groups.ok()) << groups.status();
  runner_.Configure({}, {});
  runner_.Configure(*std::move(groups), {});
  Start();
  written_.Await("a", 2);
  runner_.Stop();
  const RuleStats stats = runner_.stats();
  EXPECT_EQ(stats.firing_alerts, 3u);
  EXPECT_EQ(stats.pending_alerts, 1u);
}

TEST_F(RuleRunnerStateTest, ATenantWithoutAHomeHasRulesThatFail) {
  runner_.Configure(Groups("a"), {});
  std::vector<std::string> asked;
  runner_.Start(
      [&asked](const std::string& tenant) -> absl::StatusOr<RuleHome> {
        asked.push_back(tenant);
        return absl::NotFoundError("no such tenant");
      },
      [](const Rule&, const std::vector<Alert>&) {});
  while (runner_.stats().failed_rule_evaluations < 2) std::this_thread::yield();
  EXPECT_EQ(runner_.groups().at(0).rules.at(0).last_error, "no such tenant");
  runner_.Stop();
  EXPECT_EQ(asked, std::vector<std::string>{""});
}

TEST_F(RuleRunnerStateTest, TemplatesSeeTheLatestExternalLabels) {
  auto groups = ParseRuleFile(
      "groups: [{name: g, interval: 200ms, rules: [{record: a, expr: vector(1)}, {alert: On, "
      "expr: vector(1), annotations: {text: '{{ $externalLabels.cluster }}'}}]}]\n",
      "/r.yml", {});
  ASSERT_TRUE(groups.ok()) << groups.status();
  runner_.Configure(*groups, LabelSet::Of({{"cluster", "one"}}));
  Start();
  const auto text = [this]() -> std::string {
    const std::vector<Alert> alerts = runner_.groups().at(0).rules.at(1).alerts;
    return alerts.empty() ? "" : alerts[0].annotations.at("text");
  };
  while (text() != "one") std::this_thread::yield();
  runner_.Configure(*groups, LabelSet::Of({{"cluster", "two"}}));
  while (text() != "two") std::this_thread::yield();
}

TEST_F(RuleRunnerStateTest, AGroupThatChangesKeepsTheStateOfItsRules) {
  runner_.Configure({}, {});
  runner_.Configure(Groups("a"), {});
  Start();
  written_.Await("ALERTS", 1);
  const int64_t active_at_ms = runner_.groups().at(0).rules.at(1).alerts.at(0).active_at_ms;
  std::vector<RuleGroup> changed = Groups("a");
  changed[0].interval = milliseconds(300);
  runner_.Configure(changed, {});
  EXPECT_EQ(runner_.groups().at(0).group->interval, milliseconds(300));
  EXPECT_EQ(runner_.groups().at(0).rules.at(1).alerts.at(0).active_at_ms, active_at_ms);
  const std::vector<std::string> names = written_.Await("a", 2);
  EXPECT_EQ(std::ranges::count(names, "-a"), 0);
}

TEST_F(RuleRunnerStateTest, AnEndMayComeTwice) {
  runner_.Configure(Groups("a"), {});
  Start();
  runner_.Stop();
  runner_.Stop();
}

}  // namespace
}  // namespace lockstep::rules
