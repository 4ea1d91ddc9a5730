#include "server/auth/check_queue.h"

#include <utility>

namespace lockstep::server {

bool CheckQueue::TrySubmit(const std::string& network, Task task) {
  const MutexLock lock(mutex_);
  const auto known = waiting_.find(network);
  if (known != waiting_.end()) {
    if (known->second.size() >= max_waiting_per_network_) return false;
    known->second.push_back(std::move(task));
    return true;
  }
  if (!pool_.TrySubmit({}, [this, network] { RunNext(network); })) return false;
  waiting_[network].push_back(std::move(task));
  return true;
}

void CheckQueue::RunNext(const std::string& network) {
  Task task;
  {
    const MutexLock lock(mutex_);
    std::deque<Task>& waiting = waiting_[network];
    task = std::move(waiting.front());
    waiting.pop_front();
  }
  task();
  {
    const MutexLock lock(mutex_);
    const auto known = waiting_.find(network);
    if (known->second.empty()) {
      waiting_.erase(known);
      return;
    }
  }
  // Queued behind those of other networks.
  pool_.Submit([this, network] { RunNext(network); });
}

}  // namespace lockstep::server
