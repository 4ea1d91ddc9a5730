#include "server/worker_pool.h"

#include <utility>

namespace lockstep::server {

WorkerPool::WorkerPool(int thread_count, size_t max_queued_tasks)
    : max_queued_tasks_(max_queued_tasks) {
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

bool WorkerPool::TrySubmit(Task task) {
  {
    MutexLock lock(mutex_);
    if (queue_.size() >= max_queued_tasks_) return false;
    queue_.push_back(std::move(task));
  }
  wake_.NotifyOne();
  return true;
}

void WorkerPool::Submit(Task task) {
  {
    MutexLock lock(mutex_);
    queue_.push_back(std::move(task));
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
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    task();
  }
}

}  // namespace lockstep::server
