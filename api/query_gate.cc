#include "api/query_gate.h"

#include <algorithm>
#include <utility>

namespace lockstep::api {

struct QueryGate::Entry {
  Entry(const Limits& limits, std::shared_ptr<CancelSignal> cancel, Work work)
      : deadline(QueryBudget::Clock::now() + limits.timeout),
        budget(limits.max_samples, deadline),
        cancel(std::move(cancel)),
        work(std::move(work)) {}

  const QueryBudget::Clock::time_point deadline;
  QueryBudget budget;
  const std::shared_ptr<CancelSignal> cancel;
  Work work;
};

namespace {

absl::Status Closing() { return absl::UnavailableError("the server is shutting down"); }

// Why a query that still waits must not go on waiting; OK while it may.
absl::Status WaitingStatus(const QueryBudget& budget) {
  const absl::Status status = budget.Check();
  if (absl::IsCancelled(status)) return absl::CancelledError("query was canceled in query queue");
  if (absl::IsDeadlineExceeded(status)) {
    return absl::DeadlineExceededError("query timed out in query queue");
  }
  return status;
}

}  // namespace

QueryGate::QueryGate(const QueryGateOptions& options) : options_(options) {
  for (int i = 0; i < options_.max_running; ++i) threads_.emplace_back([this] { RunPool(); });
  threads_.emplace_back([this] { SweepQueue(); });
}

QueryGate::~QueryGate() {
  std::deque<EntryPtr> waiting;
  {
    const MutexLock lock(mutex_);
    closing_ = true;
    waiting.swap(queue_);
    for (const EntryPtr& entry : running_) entry->budget.Cancel();
    work_waits_.NotifyAll();
    sweep_needed_.NotifyAll();
  }
  for (const EntryPtr& entry : waiting) Finish(*entry, Closing());
  for (std::thread& thread : threads_) thread.join();
}

// Called without the gate's lock: Unsubscribe() may have to wait for a callback that wants it.
void QueryGate::Finish(Entry& entry, const absl::Status& admitted) {
  entry.work(admitted, entry.budget);
  entry.cancel->Unsubscribe();
}

void QueryGate::Submit(const Limits& limits, std::shared_ptr<CancelSignal> cancel, Work work) {
  auto entry = std::make_shared<Entry>(limits, std::move(cancel), std::move(work));
  // Subscribed before it is queued: afterwards a thread may already have finished with it. Called with
  // the signal's lock held, so the gate's lock is never held around a call to the signal.
  entry->cancel->Subscribe([this, entry = entry.get()] {
    entry->budget.Cancel();
    const MutexLock lock(mutex_);
    sweep_needed_.NotifyOne();
  });
  absl::Status refusal;
  {
    const MutexLock lock(mutex_);
    if (closing_) {
      refusal = Closing();
    } else if (queue_.size() >= options_.max_queued) {
      refusal = absl::UnavailableError("too many queries are waiting");
    } else {
      queue_.push_back(entry);
      work_waits_.NotifyOne();
      sweep_needed_.NotifyOne();
      return;
    }
    ++refused_;
  }
  Finish(*entry, refusal);
}

void QueryGate::RunPool() {
  for (;;) {
    EntryPtr entry;
    {
      const MutexLock lock(mutex_);
      while (queue_.empty() && !closing_) work_waits_.Wait(mutex_);
      if (queue_.empty()) return;
      entry = std::move(queue_.front());
      queue_.pop_front();
      running_.push_back(entry);
    }
    Finish(*entry, WaitingStatus(entry->budget));
    const MutexLock lock(mutex_);
    std::erase(running_, entry);
  }
}

std::vector<QueryGate::EntryPtr> QueryGate::TakeExpired() {
  std::vector<EntryPtr> expired;
  std::erase_if(queue_, [&](const EntryPtr& entry) {
    if (WaitingStatus(entry->budget).ok()) return false;
    expired.push_back(entry);
    return true;
  });
  refused_ += expired.size();
  return expired;
}

// The one thread that looks after what waits while all others are busy.
void QueryGate::SweepQueue() {
  for (;;) {
    std::vector<EntryPtr> expired;
    {
      const MutexLock lock(mutex_);
      if (closing_) return;
      expired = TakeExpired();
      if (expired.empty()) {
        const auto first = std::min_element(
            queue_.begin(), queue_.end(),
            [](const EntryPtr& a, const EntryPtr& b) { return a->deadline < b->deadline; });
        if (first == queue_.end()) {
          sweep_needed_.Wait(mutex_);
        } else {
          sweep_needed_.WaitFor(mutex_, (*first)->deadline - QueryBudget::Clock::now());
        }
      }
    }
    for (const EntryPtr& entry : expired) Finish(*entry, WaitingStatus(entry->budget));
  }
}

QueryGateStats QueryGate::stats() const {
  const MutexLock lock(mutex_);
  return {running_.size(), queue_.size(), refused_};
}

}  // namespace lockstep::api
