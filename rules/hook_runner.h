// HookRunner: runs hooks for alerts that fire, one at a time, on a thread of its own, as far as HookPolicy lets it.
//
// Safe from any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "rules/alert.h"
#include "rules/hook_policy.h"
#include "storage/kept_rows.h"

namespace lockstep::rules {

struct HookStats {
  uint64_t actions = 0;  // dry ones included
  uint64_t failures = 0;
  uint64_t refusals = 0;  // but not of what was done before
};

class HookRunner {
 public:
  // What hooks did is kept in `kept`, before they do it, and counts on in the next run of the server; a hook does nothing
  // that cannot be kept. Null: it is forgotten. Borrowed.
  explicit HookRunner(KeptRows* kept);
  // Waits for the hook that runs, which has a timeout.
  ~HookRunner();
  HookRunner(const HookRunner&) = delete;
  HookRunner& operator=(const HookRunner&) = delete;

  // What was done counts on, what was only rehearsed in dry runs does not. Returns at once.
  void Configure(RemediationConfig config);
  // Those that fire, again and again while they do. Returns at once.
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
  HookPolicy rehearsed_ LOCKSTEP_GUARDED_BY(mutex_);  // in dry runs
  std::deque<Job> jobs_ LOCKSTEP_GUARDED_BY(mutex_);  // no more than the policy lets through
  HookStats stats_ LOCKSTEP_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace lockstep::rules
