// RuleRunner: evaluates rule groups at their intervals, several concurrently, on its own threads.
// They have a lower priority than threads that serve queries and writes.
//
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/budget/query_budget.h"
#include "base/mutex.h"
#include "query/engine/engine.h"
#include "rules/config/rules_config.h"
#include "rules/group_evaluator.h"
#include "rules/group_schedule.h"
#include "rules/rule_context.h"
#include "rules/rule_stats.h"
#include "scrape/scrape_sink.h"

namespace lockstep::rules {

struct RuleRunnerOptions {
  AlertTiming timing;
  milliseconds query_timeout{120'000};
  int64_t max_query_samples = 50'000'000;
  std::string external_url;
};

// The engine and storage for the groups of one tenant.
struct RuleHome {
  const Storage* storage = nullptr;
  const engine::Engine* engine = nullptr;  // reads `storage`
  scrape::StoreSamples store;
};

class RuleRunner {
 public:
  explicit RuleRunner(RuleRunnerOptions options);
  // Stops.
  ~RuleRunner();
  RuleRunner(const RuleRunner&) = delete;
  RuleRunner& operator=(const RuleRunner&) = delete;

  // Returns the home of a tenant by its name in the store. Referenced objects must live until
  // Stop() returns.
  using HomeOf = std::function<absl::StatusOr<RuleHome>(const std::string& tenant)>;

  // Starts evaluation. Configure() may be called before or after this. Call only once.
  void Start(HomeOf home_of, std::function<void(const Rule&, std::vector<Alert>)> tell);
  // Replaces the groups. Unchanged groups continue; changed groups keep the state of unchanged
  // rules. Blocks until no removed group is being evaluated.
  void Configure(std::vector<RuleGroup> groups, const LabelSet& external_labels);
  // Stops evaluation. Idempotent.
  void Stop();

  std::vector<GroupStatus> groups() const;  // sorted by file and name
  RuleStats stats() const;

 private:
  struct Entry {
    Entry(std::shared_ptr<const RuleGroup> group, const RuleContext& context, bool is_restored,
          int64_t now_ms);

    GroupEvaluator evaluator;
    GroupSchedule schedule;   // guarded by mutex_
    bool is_running = false;  // guarded by mutex_
    int evaluations = 0;      // used only by the thread that evaluates it
  };
  using EntryPtr = std::shared_ptr<Entry>;
  struct TenantContext {
    RuleContext context;
    absl::StatusOr<RuleHome> home = absl::UnavailableError("rules are not evaluated yet");
  };

  void Run();
  void KeepTelling();
  static bool IsLate(const Entry& entry, int64_t now_ms);
  EntryPtr TakeDue(GroupSchedule::DueTime& due);
  void EvaluateGroup(Entry& entry, const GroupSchedule::DueTime& due);
  EntryPtr EarliestIdle() const LOCKSTEP_REQUIRES(mutex_);
  std::vector<EntryPtr> Entries(std::vector<RuleGroup> groups) LOCKSTEP_REQUIRES(configuring_);
  TenantContext& ContextOf(const std::string& tenant) LOCKSTEP_REQUIRES(configuring_);
  void MoveIn(const std::string& tenant, TenantContext& context) LOCKSTEP_REQUIRES(configuring_);
  void AwaitIdle(const std::vector<EntryPtr>& entries);

  absl::StatusOr<engine::VectorResult> Query(const engine::Engine& engine,
                                             std::string_view expression, int64_t time_ms);

  const RuleRunnerOptions options_;
  HomeOf home_of_;
  RuleContext common_;  // shared by all tenants; constant once the threads run

  Mutex configuring_;  // held while configuring; acquired before mutex_
  // By tenant. Addresses are stable, and contexts are constant once the threads run.
  std::map<std::string, TenantContext> contexts_ LOCKSTEP_GUARDED_BY(configuring_);
  mutable Mutex mutex_;
  CondVar changed_;
  bool ending_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  bool has_had_groups_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::vector<EntryPtr> entries_ LOCKSTEP_GUARDED_BY(mutex_);  // sorted by file and name
  std::vector<QueryBudget*> budgets_ LOCKSTEP_GUARDED_BY(mutex_);
  std::shared_ptr<const TextMap> external_labels_ LOCKSTEP_GUARDED_BY(mutex_) =
      std::make_shared<const TextMap>();

  std::atomic<uint64_t> group_evaluations_{0};
  std::atomic<uint64_t> missed_iterations_{0};
  std::atomic<uint64_t> rule_evaluations_{0};
  std::atomic<uint64_t> failed_rule_evaluations_{0};
  std::atomic<double> evaluation_seconds_{0};
  std::vector<std::thread> threads_;
};

}  // namespace lockstep::rules
