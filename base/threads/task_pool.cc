#include "base/threads/task_pool.h"

#include <algorithm>

namespace lockstep {

// On the caller's stack: the caller leaves when no helper works on it and none can start.
struct TaskPool::Job {
  Job(size_t part_count, absl::FunctionRef<void(size_t)> run_part)
      : count(part_count), part(run_part) {}

  // Runs one part if one is left. Returns whether there may be more.
  bool WorkOnce() {
    const size_t i = next.fetch_add(1);
    if (i < count) part(i);
    return i + 1 < count;
  }
  void Work() {
    while (WorkOnce()) {
    }
  }

  const size_t count;
  const absl::FunctionRef<void(size_t)> part;
  std::atomic<size_t> next{0};
  size_t helper_count = 0;  // guarded by the pool's mutex
};

TaskPool::TaskPool(size_t helper_count) {
  for (size_t i = 0; i < helper_count; ++i) helpers_.emplace_back([this] { Help(); });
}

TaskPool::~TaskPool() {
  {
    MutexLock lock(mutex_);
    closing_ = true;
    work_waits_.NotifyAll();
  }
  for (std::thread& helper : helpers_) helper.join();
}

void TaskPool::Run(size_t count, absl::FunctionRef<void(size_t)> part) {
  Job job(count, part);
  if (count < 2 || helpers_.empty()) return job.Work();
  {
    MutexLock lock(mutex_);
    jobs_.push_back(&job);
    for (size_t i = 1; i < std::min(count, concurrency()); ++i) work_waits_.NotifyOne();
  }
  job.Work();
  MutexLock lock(mutex_);
  std::erase(jobs_, &job);
  while (job.helper_count > 0) helper_left_.Wait(mutex_);
}

void TaskPool::Help() {
  MutexLock lock(mutex_);
  while (true) {
    while (jobs_.empty() && !closing_) work_waits_.Wait(mutex_);
    if (closing_) return;
    Job& job = *jobs_.front();
    ++job.helper_count;
    mutex_.Unlock();
    const bool has_more = job.WorkOnce();
    mutex_.Lock();
    // Its caller may have removed it.
    if (std::erase(jobs_, &job) > 0 && has_more) jobs_.push_back(&job);
    if (--job.helper_count == 0) helper_left_.NotifyAll();
  }
}

}  // namespace lockstep
