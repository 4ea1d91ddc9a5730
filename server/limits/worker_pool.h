// WorkerPool: a few threads and one bounded queue of tasks, in which clients take turns and have a
// fair share of the room (base/budget/fair_pool.h). Safe from any thread.
#pragma once

#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/budget/client_id.h"
#include "base/budget/fair_pool.h"
#include "base/mutex.h"
#include "base/threads/fair_queue.h"
#include "base/threads/standing_queue.h"

namespace lockstep::server {

// For requests: senders that catch up over many connections at once may wait for a while.
inline constexpr StandingQueueOptions kRequestQueue{.least_patience =
                                                        std::chrono::milliseconds(20)};

class WorkerPool {
 public:
  using Task = absl::AnyInvocable<void()>;

  // With `standing`, tasks of TrySubmit() that waited too long in a standing queue are destroyed
  // without running.
  WorkerPool(int thread_count, size_t max_queued_tasks,
             const std::optional<StandingQueueOptions>& standing = std::nullopt);
  // Runs queued tasks, then stops.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Returns false and destroys the task without running it if the queue or the client's share of it
  // is full.
  [[nodiscard]] bool TrySubmit(const ClientId& client, Task task);
  // Ignores the queue limit: for tasks that the callers limit.
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
  // Because it waited too long.
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
