#include "rules/rule_runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <utility>

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

}  // namespace
}  // namespace lockstep::rules
