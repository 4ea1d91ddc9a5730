// HookRunner: runs hooks for firing alerts, one at a time, on its own thread, as far as HookPolicy
// allows.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "rules/alerts/alert.h"
#include "rules/hooks/hook_policy.h"
#include "storage/kept_rows.h"

namespace lockstep::rules {

struct HookStats {
  uint64_t actions = 0;  // including dry runs
  uint64_t failures = 0;
  uint64_t refusals = 0;  // excluding actions already done
};

class HookRunner {
 public:
  // Saves actions in `kept` before hooks carry them out, so that they still count after a restart
  // of the server. An action that cannot be saved is not carried out. `kept` is borrowed; if null,
  // nothing is saved.
  explicit HookRunner(KeptRows* kept);
  // Waits for the running hook, which has a timeout.
  ~HookRunner();
  HookRunner(const HookRunner&) = delete;
  HookRunner& operator=(const HookRunner&) = delete;

  // Earlier actions still count, dry runs do not. Returns immediately.
  void Configure(RemediationConfig config);
  // Pass firing alerts, repeatedly while they fire. Returns immediately.
  void Tell(const std::vector<Alert>& alerts);

  HookStats stats() const;

 private:
  struct Job {
    HookConfig hook;
    Alert alert;
    std::string unit;
    bool is_dry = true;
  };

  void Consider(const HookConfig& hook, const Alert& alert, int64_t now_ms)
      LOCKSTEP_REQUIRES(mutex_);
  absl::Status Remember() LOCKSTEP_REQUIRES(mutex_);
  void Run();
  absl::Status Act(const Job& job) const;

  KeptRows* const kept_;  // may be null
  mutable Mutex mutex_;
  CondVar changed_;
  bool ending_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  RemediationConfig config_ LOCKSTEP_GUARDED_BY(mutex_);
  HookPolicy done_ LOCKSTEP_GUARDED_BY(mutex_);
  HookPolicy rehearsed_ LOCKSTEP_GUARDED_BY(mutex_);  // for dry runs
  std::deque<Job> jobs_ LOCKSTEP_GUARDED_BY(mutex_);  // bounded by the policy
  HookStats stats_ LOCKSTEP_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace lockstep::rules
