// WorkerPool: a few threads and one bounded queue of tasks. Safe from any thread.
#pragma once

#include <deque>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/mutex.h"

namespace lockstep::server {

class WorkerPool {
 public:
  using Task = absl::AnyInvocable<void()>;

  WorkerPool(int thread_count, size_t max_queued_tasks);
  // Runs what is queued, then ends.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // False, and the task is destroyed without having run, if the queue is full.
  [[nodiscard]] bool TrySubmit(Task task);
  // The same however full the queue is: for what is bounded by its callers.
  void Submit(Task task);

 private:
  void Run();

  const size_t max_queued_tasks_;
  Mutex mutex_;
  CondVar wake_;
  std::deque<Task> queue_ LOCKSTEP_GUARDED_BY(mutex_);
  bool closing_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace lockstep::server
