#include "server/worker_pool.h"

#include <utility>

#include "absl/strings/str_format.h"

namespace lockstep::server {

WorkerPool::WorkerPool(int thread_count, size_t max_queued_tasks) : room_(max_queued_tasks) {
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
  Add(client, {std::move(task), std::move(room)});
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

void WorkerPool::Run() {
  while (true) {
    Task task;
    {
      MutexLock lock(mutex_);
      while (queue_.empty() && !closing_) wake_.Wait(mutex_);
      if (queue_.empty()) return;
      // What it took of the room is given back here.
      task = queue_.Pop().task;
    }
    task();
  }
}

}  // namespace lockstep::server
