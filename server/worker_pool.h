// WorkerPool: a few threads and one bounded queue of tasks, in which clients take turns and have a fair share of the
// room (base/fair_pool.h). Safe from any thread.
#pragma once

#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/client_id.h"
#include "base/fair_pool.h"
#include "base/fair_queue.h"
#include "base/mutex.h"
#include "base/standing_queue.h"

namespace lockstep::server {

// For requests: senders that catch up with many connections at once may wait for a while.
inline constexpr StandingQueueOptions kRequestQueue{.least_patience =
                                                        std::chrono::milliseconds(50)};

class WorkerPool {
 public:
  using Task = absl::AnyInvocable<void()>;

  // With `standing`, tasks of TrySubmit() that waited too long in a queue that stands are destroyed
  // without having run.
  WorkerPool(int thread_count, size_t max_queued_tasks,
             const std::optional<StandingQueueOptions>& standing = std::nullopt);
  // Runs what is queued, then ends.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // False, and the task is destroyed without having run, if the queue is full or the client has its share of it.
  [[nodiscard]] bool TrySubmit(const ClientId& client, Task task);
  // However full the queue is: for what is bounded by its callers.
  void Submit(Task task);

 private:
  using Clock = std::chrono::steady_clock;

  struct Queued {
    Task task;
    FairPool::Claim room;
    bool is_request = false;
    Clock::time_point since = Clock::now();
  };

  void Add(const ClientId& client, Queued queued);
  void Run();
  // For having waited too long.
  bool IsRefused(const Queued& queued) LOCKSTEP_REQUIRES(mutex_);

  FairPool room_;
  Mutex mutex_;
  CondVar wake_;
  FairQueue<Queued> queue_ LOCKSTEP_GUARDED_BY(mutex_);
  std::optional<StandingQueue> standing_ LOCKSTEP_GUARDED_BY(mutex_);
  bool closing_ LOCKSTEP_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace lockstep::server
