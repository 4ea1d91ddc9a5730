// GroupEvaluator: a rule group and the state of its rules. Evaluates rules in order, so that each
// sees the results of earlier ones, writes stale markers for series that disappear, and keeps the
// state of alerts.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "model/labels.h"
#include "rules/alerts/active_alerts.h"
#include "rules/rule_context.h"
#include "storage/query.h"

namespace lockstep::rules {

enum class RuleHealth { kUnknown, kGood, kBad };

struct RuleStatus {
  RuleHealth health = RuleHealth::kUnknown;
  std::string last_error;
  double evaluation_seconds = 0;
  int64_t last_evaluation_ms = 0;  // when the last evaluation began; 0 if never
  std::vector<Alert> alerts;       // pending and firing alerts
};

struct GroupStatus {
  std::shared_ptr<const RuleGroup> group;
  std::vector<RuleStatus> rules;  // one per rule of the group
  double evaluation_seconds = 0;
  int64_t last_evaluation_ms = 0;
  // Since the group was created.
  uint64_t evaluations = 0;  // of rules
  uint64_t failures = 0;     // of rules
  uint64_t samples = 0;      // of the last evaluation
};

// status() and TellOfExpiring() are thread-safe; call the rest from one thread at a time.
class GroupEvaluator {
 public:
  // `context` must outlive this. `is_restored` means that alerts need no restoring; otherwise
  // ALERTS is not written before Restore().
  GroupEvaluator(std::shared_ptr<const RuleGroup> group, const RuleContext& context,
                 bool is_restored);

  const RuleGroup& group() const { return *group_; }
  bool is_restored() const { return is_restored_; }

  // Evaluates the rules as of `time_ms`; blocks until all results are stored.
  void Evaluate(int64_t time_ms);
  // Restores when pending alerts became active before the server was down, from the samples it
  // wrote then.
  void Restore(int64_t now_ms);
  // Takes over the state of rules that `from` also has. Series of rules that only `from` has get
  // stale markers.
  void TakeOver(GroupEvaluator& from);
  // Writes stale markers for all series of a removed group.
  void Retire(int64_t time_ms);

  // Resends firing alerts while Evaluate() takes long, before receivers consider them resolved.
  // Skips alerts whose rule has failed. Thread-safe.
  void TellOfExpiring(int64_t now_ms);

  GroupStatus status() const;

 private:
  struct RuleState {
    uint64_t seed = 0;             // identifies the rule, also after a reload
    std::vector<LabelSet> series;  // of the previous evaluation, sorted
    ActiveAlerts alerts;
  };

  void EvaluateRule(size_t index, int64_t time_ms);
  // The samples to store.
  absl::StatusOr<engine::VectorResult> Samples(size_t index, int64_t time_ms);
  absl::StatusOr<engine::VectorResult> AlertSamples(size_t index,
                                                    const engine::VectorResult& elements,
                                                    int64_t time_ms);
  absl::Status Store(size_t index, engine::VectorResult samples, int64_t timestamp_ms);
  void RestoreRule(size_t index, int64_t now_ms);
  absl::Status RestoreFrom(Querier& querier, size_t index, int64_t now_ms);
  void Tell(size_t index, int64_t time_ms);
  // Passes the alerts taken by Tell() or TellOfExpiring() on to the context.
  void HandOver(size_t index, std::vector<Alert> alerts) LOCKSTEP_REQUIRES(telling_);

  const std::shared_ptr<const RuleGroup> group_;
  const RuleContext& context_;
  bool is_restored_;
  std::vector<LabelSet> orphans_;  // series of removed rules that need stale markers

  // Acquired before mutex_ and held from taking states until they are sent, so that they are sent
  // in order.
  Mutex telling_;
  mutable Mutex mutex_;
  std::vector<RuleState> states_;  // written only with the lock held
  GroupStatus status_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::rules
