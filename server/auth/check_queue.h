// CheckQueue: runs costly checks on a few threads, one at a time per network with a short queue
// each, so that no network delays the others. Safe from any thread.
#pragma once

#include <deque>
#include <string>

#include "absl/functional/any_invocable.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "server/limits/worker_pool.h"

namespace lockstep::server {

class CheckQueue {
 public:
  using Task = absl::AnyInvocable<void()>;

  CheckQueue(int thread_count, size_t max_networks, size_t max_waiting_per_network)
      : max_waiting_per_network_(max_waiting_per_network), pool_(thread_count, max_networks) {}

  // Returns false and destroys the task without running it if too many are waiting.
  [[nodiscard]] bool TrySubmit(const std::string& network, Task task);

 private:
  void RunNext(const std::string& network);

  const size_t max_waiting_per_network_;
  Mutex mutex_;
  // The waiting tasks of each network that has a task running or in the pool.
  StringMap<std::deque<Task>> waiting_ LOCKSTEP_GUARDED_BY(mutex_);
  // The last member, because its threads use all of the above.
  WorkerPool pool_;
};

}  // namespace lockstep::server
