// GroupEvaluator: a rule group and what became of its rules: evaluates them in their order, so that each sees what
// those before it wrote, marks series that are gone, and keeps the state of alerts.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "model/labels.h"
#include "rules/active_alerts.h"
#include "rules/rule_context.h"

namespace lockstep::rules {

enum class RuleHealth { kUnknown, kGood, kBad };

struct RuleStatus {
  RuleHealth health = RuleHealth::kUnknown;
  std::string last_error;
  double evaluation_seconds = 0;
  int64_t last_evaluation_ms = 0;  // when it began; 0: never
  std::vector<Alert> alerts;       // pending and firing ones
};

struct GroupStatus {
  std::shared_ptr<const RuleGroup> group;
  std::vector<RuleStatus> rules;  // as many as the group's
  double evaluation_seconds = 0;
  int64_t last_evaluation_ms = 0;
  // Since the group was made.
  uint64_t evaluations = 0;  // of rules
  uint64_t failures = 0;     // of rules
  uint64_t samples = 0;      // of the last evaluation
};

// status() and TellOfExpiring() are safe from any thread; the rest is for one thread at a time.
class GroupEvaluator {
 public:
  // `context` outlives it. With `is_restored`, alerts have no past that matters; otherwise ALERTS is not
  // written before Restore().
  GroupEvaluator(std::shared_ptr<const RuleGroup> group, const RuleContext& context,
                 bool is_restored);

  const RuleGroup& group() const { return *group_; }
  bool is_restored() const { return is_restored_; }

  // As of `time_ms`; blocks until all is stored.
  void Evaluate(int64_t time_ms);
  // Moves alerts that are pending to when they became active before the server was away, by what it wrote
  // then.
  void Restore(int64_t now_ms);
  // The state of the rules that `from` has too. Series of those that it alone has will be marked.
  void TakeOver(GroupEvaluator& from);
  // The group is gone: marks all of its series.
  void Retire(int64_t time_ms);

  // While Evaluate() takes long: tells again of firing alerts before receivers take them for resolved. Not of those whose
  // rule has failed. Safe from any thread.
  void TellOfExpiring(int64_t now_ms);

  GroupStatus status() const;

 private:
  struct RuleState {
    uint64_t seed = 0;             // tells the rule from all others, the same after a reload
    std::vector<LabelSet> series;  // of the evaluation before, sorted
    ActiveAlerts alerts;
  };

  void EvaluateRule(size_t index, int64_t time_ms);
  // The samples to be stored.
  absl::StatusOr<engine::VectorResult> Samples(size_t index, int64_t time_ms);
  absl::StatusOr<engine::VectorResult> AlertSamples(size_t index,
                                                    const engine::VectorResult& elements,
                                                    int64_t time_ms);
  absl::Status Store(size_t index, engine::VectorResult samples, int64_t timestamp_ms);
  void RestoreRule(size_t index, int64_t now_ms);
  absl::Status RestoreFrom(Querier& querier, size_t index, int64_t now_ms);
  void Tell(size_t index, int64_t time_ms);
  // Hands over what one of the two functions that tell has taken.
  void HandOver(size_t index, std::vector<Alert> alerts) LOCKSTEP_REQUIRES(telling_);

  const std::shared_ptr<const RuleGroup> group_;
  const RuleContext& context_;
  bool is_restored_;
  std::vector<LabelSet> orphans_;  // of rules that are gone; to be marked

  // Held, before mutex_, from where states are taken to where they are told: they are told in order.
  Mutex telling_;
  mutable Mutex mutex_;
  std::vector<RuleState> states_;  // written with the lock held
  GroupStatus status_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::rules
