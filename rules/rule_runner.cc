#include "rules/rule_runner.h"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "model/labels.h"
#include "rules/stored_samples.h"

namespace lockstep::rules {
namespace {

// Groups evaluated concurrently.
constexpr int kThreads = 4;
// Lowers the priority of their threads.
constexpr int kNiceness = 10;
// A clock change is noticed within this time.
constexpr milliseconds kLongestWait{1'000};
// Alerts are restored after this many evaluations, when their data have arrived.
constexpr int kEvaluationsBeforeRestoring = 2;

uint64_t SeedOf(const RuleGroup& group) {
  return LabelSet::Of({{"file", group.file}, {"name", group.name}}).Hash();
}

}  // namespace

RuleRunner::Entry::Entry(std::shared_ptr<const RuleGroup> group, const RuleContext& context,
                         bool is_restored, int64_t now_ms)
    : evaluator(group, context, is_restored),
      schedule(SeedOf(*group), group->interval.count(), now_ms) {}

RuleRunner::RuleRunner(RuleRunnerOptions options) : options_(std::move(options)) {
  common_.external_labels = [this] {
    const MutexLock lock(mutex_);
    return external_labels_;
  };
  common_.now_ms = SystemTimeMs;
  common_.external_url = options_.external_url;
  common_.timing = options_.timing;
}

RuleRunner::~RuleRunner() { Stop(); }

void RuleRunner::Start(HomeOf home_of, std::function<void(const Rule&, std::vector<Alert>)> tell) {
  const MutexLock configuring(configuring_);
  home_of_ = std::move(home_of);
  common_.tell = std::move(tell);
  for (auto& [tenant, context] : contexts_) MoveIn(tenant, context);
  for (int i = 0; i < kThreads; ++i) threads_.emplace_back([this] { Run(); });
  threads_.emplace_back([this] { KeepTelling(); });
}

void RuleRunner::Stop() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    for (QueryBudget* budget : budgets_) budget->ShutDown();
    changed_.NotifyAll();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void RuleRunner::Configure(std::vector<RuleGroup> groups, const LabelSet& external_labels) {
  const MutexLock configuring(configuring_);
  auto labels = std::make_shared<TextMap>();
  for (const LabelView& label : external_labels) labels->emplace(label.name, label.value);
  std::vector<EntryPtr> before;
  {
    const MutexLock lock(mutex_);
    external_labels_ = std::move(labels);
    before = entries_;
  }
  std::vector<EntryPtr> after = Entries(std::move(groups));
  std::vector<EntryPtr> gone;
  std::ranges::copy_if(before, std::back_inserter(gone), [&](const EntryPtr& entry) {
    return std::ranges::find(after, entry) == after.end();
  });
  {
    const MutexLock lock(mutex_);
    std::erase_if(entries_, [&](const EntryPtr& entry) {
      return std::ranges::find(gone, entry) != gone.end();
    });
  }
  AwaitIdle(gone);
  for (const EntryPtr& old : gone) {
    const auto successor = std::ranges::find_if(after, [&](const EntryPtr& entry) {
      return entry->evaluator.group().file == old->evaluator.group().file &&
             entry->evaluator.group().name == old->evaluator.group().name;
    });
    if (successor != after.end()) {
      (*successor)->evaluator.TakeOver(old->evaluator);
    } else if (home_of_) {
      old->evaluator.Retire(SystemTimeMs());
    }
  }
  const MutexLock lock(mutex_);
  entries_ = std::move(after);
  has_had_groups_ = true;
  changed_.NotifyAll();
}

// Reuses the entries of unchanged groups.
std::vector<RuleRunner::EntryPtr> RuleRunner::Entries(std::vector<RuleGroup> groups) {
  std::vector<EntryPtr> entries;
  for (RuleGroup& group : groups) {
    const RuleContext& context = ContextOf(group.tenant).context;
    const MutexLock lock(mutex_);
    const auto same = std::ranges::find_if(
        entries_, [&](const EntryPtr& entry) { return entry->evaluator.group() == group; });
    entries.push_back(
        same != entries_.end()
            ? *same
            : std::make_shared<Entry>(std::make_shared<const RuleGroup>(std::move(group)), context,
                                      has_had_groups_, SystemTimeMs()));
  }
  return entries;
}

RuleRunner::TenantContext& RuleRunner::ContextOf(const std::string& tenant) {
  const auto [at, is_new] = contexts_.try_emplace(tenant);
  if (is_new) MoveIn(tenant, at->second);
  return at->second;
}

// Before Start(), there is no home and nothing is evaluated.
void RuleRunner::MoveIn(const std::string& tenant, TenantContext& context) {
  if (home_of_) context.home = home_of_(tenant);
  const absl::StatusOr<RuleHome>& home = context.home;
  context.context = common_;
  context.context.storage = home.ok() ? home->storage : nullptr;
  context.context.query = [this, &home](std::string_view text,
                                        int64_t time_ms) -> absl::StatusOr<engine::VectorResult> {
    LOCKSTEP_RETURN_IF_ERROR(home.status());
    return Query(*home->engine, text, time_ms);
  };
  context.context.write = [&home](const engine::VectorResult& samples) {
    return home.ok() ? WriteAndWait(home->store, samples) : home.status();
  };
}

void RuleRunner::AwaitIdle(const std::vector<EntryPtr>& entries) {
  const MutexLock lock(mutex_);
  const auto is_running = [](const EntryPtr& entry) { return entry->is_running; };
  while (std::ranges::any_of(entries, is_running)) changed_.Wait(mutex_);
}

void RuleRunner::Run() {
  pthread_setname_np(pthread_self(), "rules");
  // Despite the name, this affects only the current thread.
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness);
  GroupSchedule::DueTime due;
  while (const EntryPtr entry = TakeDue(due)) {
    EvaluateGroup(*entry, due);
    const MutexLock lock(mutex_);
    entry->is_running = false;
    changed_.NotifyAll();
  }
}

// Whether the group is being evaluated or waits for a thread because others take long.
bool RuleRunner::IsLate(const Entry& entry, int64_t now_ms) {
  return entry.is_running || entry.schedule.due_ms() < now_ms;
}

// Keeps alerts alive while their group is late.
void RuleRunner::KeepTelling() {
  pthread_setname_np(pthread_self(), "rules-tell");
  while (true) {
    std::vector<EntryPtr> late;
    {
      const MutexLock lock(mutex_);
      if (!ending_) changed_.WaitFor(mutex_, kLongestWait);
      if (ending_) return;
      const int64_t now_ms = SystemTimeMs();
      std::ranges::copy_if(entries_, std::back_inserter(late),
                           [&](const EntryPtr& entry) { return IsLate(*entry, now_ms); });
    }
    for (const EntryPtr& entry : late) entry->evaluator.TellOfExpiring(SystemTimeMs());
  }
}

RuleRunner::EntryPtr RuleRunner::EarliestIdle() const {
  EntryPtr earliest;
  for (const EntryPtr& entry : entries_) {
    if (entry->is_running) continue;
    if (earliest == nullptr || entry->schedule.due_ms() < earliest->schedule.due_ms()) {
      earliest = entry;
    }
  }
  return earliest;
}

// Null when the runner should stop.
RuleRunner::EntryPtr RuleRunner::TakeDue(GroupSchedule::DueTime& due) {
  const MutexLock lock(mutex_);
  while (!ending_) {
    const int64_t now_ms = SystemTimeMs();
    const EntryPtr entry = EarliestIdle();
    if (entry == nullptr) {
      changed_.WaitFor(mutex_, kLongestWait);
      continue;
    }
    entry->schedule.Rewind(now_ms);
    if (now_ms >= entry->schedule.due_ms()) {
      due = entry->schedule.Take(now_ms);
      entry->is_running = true;
      return entry;
    }
    changed_.WaitFor(mutex_,
                     std::min(milliseconds(entry->schedule.due_ms() - now_ms), kLongestWait));
  }
  return nullptr;
}

void RuleRunner::EvaluateGroup(Entry& entry, const GroupSchedule::DueTime& due) {
  const GroupStatus before = entry.evaluator.status();
  // Nothing can be missed before the first evaluation.
  if (entry.evaluations > 0) missed_iterations_ += static_cast<uint64_t>(due.missed);
  entry.evaluator.Evaluate(due.time_ms);
  if (++entry.evaluations >= kEvaluationsBeforeRestoring && !entry.evaluator.is_restored()) {
    entry.evaluator.Restore(due.time_ms);
  }
  const GroupStatus after = entry.evaluator.status();
  ++group_evaluations_;
  rule_evaluations_ += after.evaluations - before.evaluations;
  failed_rule_evaluations_ += after.failures - before.failures;
  evaluation_seconds_ += after.evaluation_seconds;
}

absl::StatusOr<engine::VectorResult> RuleRunner::Query(const engine::Engine& engine,
                                                       std::string_view expression,
                                                       int64_t time_ms) {
  QueryBudget budget(options_.max_query_samples,
                     QueryBudget::Clock::now() + options_.query_timeout);
  {
    const MutexLock lock(mutex_);
    if (ending_) return absl::UnavailableError("the server is shutting down");
    budgets_.push_back(&budget);
  }
  absl::StatusOr<engine::QueryResult> result =
      engine.Execute(engine::InstantQuery{expression, time_ms, 0, {}}, budget);
  {
    const MutexLock lock(mutex_);
    std::erase(budgets_, &budget);
  }
  if (!result.ok()) return result.status();
  return VectorOf(std::move(result->value));
}

std::vector<GroupStatus> RuleRunner::groups() const {
  std::vector<EntryPtr> entries;
  {
    const MutexLock lock(mutex_);
    entries = entries_;
  }
  std::vector<GroupStatus> groups;
  for (const EntryPtr& entry : entries) groups.push_back(entry->evaluator.status());
  return groups;
}

RuleStats RuleRunner::stats() const {
  RuleStats stats;
  for (const GroupStatus& group : groups()) {
    ++stats.groups;
    stats.rules += group.rules.size();
    for (const RuleStatus& rule : group.rules) {
      for (const Alert& alert : rule.alerts) {
        ++(alert.state == AlertState::kFiring ? stats.firing_alerts : stats.pending_alerts);
      }
    }
  }
  stats.group_evaluations = group_evaluations_;
  stats.missed_iterations = missed_iterations_;
  stats.rule_evaluations = rule_evaluations_;
  stats.failed_rule_evaluations = failed_rule_evaluations_;
  stats.evaluation_seconds = evaluation_seconds_;
  return stats;
}

}  // namespace lockstep::rules
