// TaskPool: threads that help callers whose work comes in parts.
//
// A caller always works on its own parts too, so nobody waits for a thread to be free and a part may
// itself call Run(). Helpers go from caller to caller, a part each, so that one with very many parts does
// not keep them from the others.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/mutex.h"

namespace lockstep {

// Safe from any thread. Nobody may be in Run() when it is destroyed.
class TaskPool {
 public:
  // With no helper every caller does all of its work alone.
  explicit TaskPool(size_t helper_count);
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  // Calls part(0) to part(count - 1), each once, some of them at the same time on other threads; returns
  // when all are over. `part` must not throw.
  void Run(size_t count, absl::FunctionRef<void(size_t)> part);

  // How many parts of one caller run at the same time at most.
  size_t concurrency() const { return helpers_.size() + 1; }

 private:
  struct Job;

  void Help();

  Mutex mutex_;
  CondVar work_waits_;
  CondVar helper_left_;
  bool closing_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::deque<Job*> jobs_ LOCKSTEP_GUARDED_BY(mutex_);  // that may have parts nobody took
  std::vector<std::thread> helpers_;
};

}  // namespace lockstep
