// TaskPool: threads that help callers whose work is divided into parts.
//
// A caller also works on its own parts, so it never waits for a free thread, and a part may itself
// call Run(). Helpers go from caller to caller after each part, so that a caller with very many
// parts does not keep them from the others.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "base/mutex.h"

namespace lockstep {

// Safe from any thread. No thread may be in Run() when it is destroyed.
class TaskPool {
 public:
  // Without helpers every caller does all of its work alone.
  explicit TaskPool(size_t helper_count);
  ~TaskPool();
  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  // Calls part(0) to part(count - 1) once each, some of them concurrently on other threads; returns
  // when all are done. `part` must not throw.
  void Run(size_t count, absl::FunctionRef<void(size_t)> part);

  // The most parts of one caller that run at the same time.
  size_t concurrency() const { return helpers_.size() + 1; }

 private:
  struct Job;

  void Help();

  Mutex mutex_;
  CondVar work_waits_;
  CondVar helper_left_;
  bool closing_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::deque<Job*> jobs_ LOCKSTEP_GUARDED_BY(mutex_);  // those that may have unstarted parts
  std::vector<std::thread> helpers_;
};

}  // namespace lockstep
