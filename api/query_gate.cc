#include "api/query_gate.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "base/mutex.h"

namespace lockstep::api {
namespace {

using TimePoint = QueryBudget::Clock::time_point;

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

struct QueryGate::Entry {
  Entry(const Limits& limits, std::shared_ptr<CancelSignal> cancel, Work work)
      : deadline(QueryBudget::Clock::now() + limits.timeout),
        budget(limits.max_samples, deadline),
        cancel(std::move(cancel)),
        work(std::move(work)) {}

  const TimePoint deadline;
  QueryBudget budget;
  const std::shared_ptr<CancelSignal> cancel;
  Work work;
};

struct QueryGate::State {
  explicit State(const QueryGateOptions& options) : options(options) {}

  // What has been admitted.
  struct Taker {
    EntryPtr entry;  // null when its work is over and its answer on its way
    TimePoint long_from;
  };

  bool HasPlace(TimePoint now) const LOCKSTEP_REQUIRES(mutex) {
    const auto long_count = static_cast<size_t>(std::ranges::count_if(
        takers, [now](const auto& taker) { return taker->long_from <= now; }));
    return takers.size() - std::min(long_count, options.max_running) < options.max_running;
  }

  // When something changes for what waits without anybody's doing.
  std::optional<TimePoint> NextChange(TimePoint now) const LOCKSTEP_REQUIRES(mutex) {
    if (queue.empty()) return std::nullopt;
    TimePoint next = TimePoint::max();
    for (const EntryPtr& entry : queue) next = std::min(next, entry->deadline);
    for (const auto& taker : takers) {
      if (taker->long_from > now) next = std::min(next, taker->long_from);
    }
    return next;
  }

  // Takes out of the queue what must not wait any longer.
  std::vector<EntryPtr> TakeExpired() LOCKSTEP_REQUIRES(mutex) {
    std::vector<EntryPtr> expired;
    std::erase_if(queue, [&](const EntryPtr& entry) {
      if (WaitingStatus(entry->budget).ok()) return false;
      expired.push_back(entry);
      return true;
    });
    refused += expired.size();
    return expired;
  }

  void GiveBack(const Taker* gone) {
    const MutexLock lock(mutex);
    std::erase_if(takers, [gone](const auto& taker) { return taker.get() == gone; });
    work_waits.NotifyOne();
  }

  const QueryGateOptions options;
  mutable Mutex mutex;
  CondVar work_waits;
  CondVar sweep_needed;
  bool closing LOCKSTEP_GUARDED_BY(mutex) = false;
  std::deque<EntryPtr> queue LOCKSTEP_GUARDED_BY(mutex);
  std::vector<std::unique_ptr<Taker>> takers LOCKSTEP_GUARDED_BY(mutex);
  uint64_t refused LOCKSTEP_GUARDED_BY(mutex) = 0;
};

QueryGate::QueryGate(const QueryGateOptions& options) : state_(std::make_shared<State>(options)) {
  for (size_t i = 0; i < 2 * options.max_running; ++i) threads_.emplace_back([this] { RunPool(); });
  threads_.emplace_back([this] { SweepQueue(); });
}

QueryGate::~QueryGate() {
  Close();
  for (std::thread& thread : threads_) thread.join();
}

void QueryGate::Close() {
  State& state = *state_;
  std::deque<EntryPtr> waiting;
  {
    const MutexLock lock(state.mutex);
    state.closing = true;
    waiting.swap(state.queue);
    for (const auto& taker : state.takers) {
      if (taker->entry != nullptr) taker->entry->budget.ShutDown();
    }
    state.work_waits.NotifyAll();
    state.sweep_needed.NotifyAll();
  }
  for (const EntryPtr& entry : waiting) Finish(*entry, Closing(), nullptr);
}

// Called without the gate's lock: Unsubscribe() may have to wait for a callback that wants it.
void QueryGate::Finish(Entry& entry, const absl::Status& admitted, Place place) {
  entry.work(admitted, entry.budget, std::move(place));
  entry.work = nullptr;
  entry.cancel->Unsubscribe();
}

void QueryGate::Submit(const Limits& limits, std::shared_ptr<CancelSignal> cancel, Work work) {
  State& state = *state_;
  auto entry = std::make_shared<Entry>(limits, std::move(cancel), std::move(work));
  // Subscribed before it is queued: afterwards a thread may already have finished with it. Called with
  // the signal's lock held, so the gate's lock is never held around a call to the signal.
  entry->cancel->Subscribe([&state, entry = entry.get()] {
    entry->budget.Cancel();
    const MutexLock lock(state.mutex);
    state.sweep_needed.NotifyOne();
  });
  absl::Status refusal;
  {
    const MutexLock lock(state.mutex);
    if (state.closing) {
      refusal = Closing();
    } else if (state.queue.size() >= state.options.max_queued) {
      refusal = absl::UnavailableError("too many queries are waiting");
    } else {
      state.queue.push_back(entry);
      state.work_waits.NotifyOne();
      state.sweep_needed.NotifyOne();
      return;
    }
    ++state.refused;
  }
  Finish(*entry, refusal, nullptr);
}

void QueryGate::RunPool() {
  State& state = *state_;
  for (;;) {
    EntryPtr entry;
    State::Taker* taker = nullptr;
    {
      const MutexLock lock(state.mutex);
      TimePoint now = QueryBudget::Clock::now();
      while (!state.closing && (state.queue.empty() || !state.HasPlace(now))) {
        state.work_waits.Wait(state.mutex);
        now = QueryBudget::Clock::now();
      }
      if (state.closing) return;
      entry = std::move(state.queue.front());
      state.queue.pop_front();
      state.takers.push_back(
          std::make_unique<State::Taker>(State::Taker{entry, now + state.options.long_after}));
      taker = state.takers.back().get();
      if (!state.queue.empty() && state.HasPlace(now)) state.work_waits.NotifyOne();
    }
    Place place(taker, [shared = state_, entry](const void* gone) {
      shared->GiveBack(static_cast<const State::Taker*>(gone));
    });
    // Kept here too, so that the taker is there when the work is over.
    Finish(*entry, WaitingStatus(entry->budget), place);
    const MutexLock lock(state.mutex);
    taker->entry = nullptr;
  }
}

// The one thread that looks after what waits while all others are busy.
void QueryGate::SweepQueue() {
  State& state = *state_;
  for (;;) {
    std::vector<EntryPtr> expired;
    {
      const MutexLock lock(state.mutex);
      if (state.closing) return;
      expired = state.TakeExpired();
      if (expired.empty()) {
        const TimePoint now = QueryBudget::Clock::now();
        if (!state.queue.empty() && state.HasPlace(now)) state.work_waits.NotifyOne();
        if (const std::optional<TimePoint> next = state.NextChange(now)) {
          state.sweep_needed.WaitFor(state.mutex, *next - now);
        } else {
          state.sweep_needed.Wait(state.mutex);
        }
      }
    }
    for (const EntryPtr& entry : expired) Finish(*entry, WaitingStatus(entry->budget), nullptr);
  }
}

QueryGateStats QueryGate::stats() const {
  const MutexLock lock(state_->mutex);
  return {state_->takers.size(), state_->queue.size(), state_->refused};
}

}  // namespace lockstep::api
