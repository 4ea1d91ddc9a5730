// CheckQueue: costly checks on few threads, so that no network holds up the others: of each network one runs at a time,
// and few wait. Safe from any thread.
#pragma once

#include <deque>
#include <string>

#include "absl/functional/any_invocable.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "server/worker_pool.h"

namespace lockstep::server {

class CheckQueue {
 public:
  using Task = absl::AnyInvocable<void()>;

  CheckQueue(int thread_count, size_t max_networks, size_t max_waiting_per_network)
      : max_waiting_per_network_(max_waiting_per_network), pool_(thread_count, max_networks) {}

  // False, and the task is destroyed without having run, if too many wait.
  [[nodiscard]] bool TrySubmit(const std::string& network, Task task);

 private:
  void RunNext(const std::string& network);

  const size_t max_waiting_per_network_;
  Mutex mutex_;
  // Of the networks of which one runs or is in the pool: what waits besides.
  StringMap<std::deque<Task>> waiting_ LOCKSTEP_GUARDED_BY(mutex_);
  // Last: its threads use all of the above.
  WorkerPool pool_;
};

}  // namespace lockstep::server
