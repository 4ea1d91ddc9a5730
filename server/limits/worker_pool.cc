#include "server/limits/worker_pool.h"

#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::server {

WorkerPool::WorkerPool(int thread_count, size_t max_queued_tasks,
                       const std::optional<StandingQueueOptions>& standing)
    : room_(max_queued_tasks) {
  if (standing.has_value()) standing_.emplace(*standing);
  for (int i = 0; i < thread_count; ++i) threads_.emplace_back([this] { Run(); });
}

WorkerPool::~WorkerPool() {
  {
    MutexLock lock(mutex_);
    closing_ = true;
  }
  wake_.NotifyAll();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkerPool::TrySubmit(const ClientId& client, Task task) {
  FairPool::Claim room(room_, client);
  if (room.Grow(1) != PoolAnswer::kTaken) return false;
  Add(client, {std::move(task), std::move(room), true});
  return true;
}

void WorkerPool::Submit(Task task) { Add({}, {std::move(task), {}}); }

void WorkerPool::Add(const ClientId& client, Queued queued) {
  {
    MutexLock lock(mutex_);
    queue_.Push(absl::StrFormat("%s\n%s", client.network, client.user), std::move(queued));
  }
  wake_.NotifyOne();
}

bool WorkerPool::IsRefused(const Queued& queued) {
  if (!standing_.has_value() || !queued.is_request) return false;
  const Clock::time_point now = Clock::now();
  return standing_->Leaves(now, now - queued.since,
                           queue_.empty() ? Behind::kNothing : Behind::kMore);
}

void WorkerPool::Run() {
  while (true) {
    Task task;
    bool is_request = false;
    bool is_refused = false;
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !closing_) wake_.Wait(mutex_);
      if (queue_.empty()) return;
      // Its room in the queue is released here.
      Queued queued = queue_.Pop();
      is_request = queued.is_request;
      task = std::move(queued.task);
      is_refused = IsRefused(queued);
    }
    if (is_refused) continue;
    const Clock::time_point began = Clock::now();
    task();
    if (!is_request) continue;
    MutexLock lock(mutex_);
    if (standing_.has_value()) standing_->Took(Clock::now() - began);
  }
}

}  // namespace lockstep::server
