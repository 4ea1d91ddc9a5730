#include "api/query/query_gate.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/budget/fair_pool.h"
#include "base/check.h"
#include "base/mutex.h"

namespace lockstep::api {
namespace {

using TimePoint = QueryBudget::Clock::time_point;

absl::Status Closing() { return absl::UnavailableError("the server is shutting down"); }

// The reason why a queued query must stop waiting; OK while it may wait.
absl::Status WaitingStatus(const QueryBudget& budget) {
  const absl::Status status = budget.Check();
  if (absl::IsCancelled(status)) return absl::CancelledError("query was canceled in query queue");
  if (absl::IsDeadlineExceeded(status)) {
    return absl::DeadlineExceededError("query timed out in query queue");
  }
  return status;
}

absl::Status WaitedTooLong(std::chrono::nanoseconds waited) {
  return absl::UnavailableError(absl::StrFormat(
      "the server is overloaded: this query waited %d ms without running; try again later",
      std::chrono::duration_cast<std::chrono::milliseconds>(waited).count()));
}

absl::Status TooManyWait(PoolAnswer room, size_t max_queued) {
  return absl::UnavailableError(absl::StrFormat(
      "too many queries %sare waiting; the limit is %d (query.max-concurrency); try again later",
      room == PoolAnswer::kOverShare ? "of this client " : "", max_queued));
}

}  // namespace

struct QueryGate::Entry {
  // `memory` is the pool of query memory that clients share.
  Entry(const Limits& limits, FairPool& memory, std::shared_ptr<CancelSignal> cancel, Work work)
      : client(limits.client),
        arrived(limits.arrived),
        deadline(QueryBudget::Clock::now() + limits.timeout),
        budget(limits.max_samples, deadline, MemoryBudget::OfProcess(),
               FairPool::Claim(memory, client)),
        cancel(std::move(cancel)),
        work(std::move(work)) {}

  const ClientId client;
  const TimePoint arrived;
  const TimePoint deadline;
  QueryBudget budget;
  const std::shared_ptr<CancelSignal> cancel;
  Work work;
  FairPool::Claim queue_room;
};

struct QueryGate::State {
  explicit State(const QueryGateOptions& options)
      : options(options),
        memory(MemoryBudget::OfProcess().MaxBytesOf(MemoryAccount::kQueries),
               MemoryBudget::kSmallBytes),
        queue_rooms(options.max_queued),
        places(2 * options.max_running),
        standing(options.standing) {}

  // An admitted query.
  struct Taker {
    EntryPtr entry;  // null once its work is done and its answer on its way
    TimePoint began;
    FairPool::Claim place;
    TimePoint answered{};  // when its work was done
  };

  // The next query to admit: among clients below their share, from the one with the fewest
  // admitted. Returns the end of the queue if nothing may be admitted.
  std::deque<EntryPtr>::iterator FindNext(TimePoint now) LOCKSTEP_REQUIRES(mutex) {
    auto next = queue.end();
    if (FreePlaces(now) == 0) return next;
    uint64_t least = std::numeric_limits<uint64_t>::max();
    for (auto at = queue.begin(); at != queue.end() && least > 0; ++at) {
      const ClientId& client = (*at)->client;
      const uint64_t load = places.LoadOf(client);
      if (load >= least || places.AnswerFor(client, 1) != PoolAnswer::kTaken) continue;
      next = at;
      least = load;
    }
    return next;
  }

  // Precondition: FindNext() returned it.
  Taker* Admit(std::deque<EntryPtr>::iterator next, TimePoint now) LOCKSTEP_REQUIRES(mutex) {
    EntryPtr entry = std::move(*next);
    queue.erase(next);
    entry->queue_room = FairPool::Claim();
    FairPool::Claim place(places, entry->client);
    // Only this thread claims places.
    LOCKSTEP_CHECK(place.Grow(1) == PoolAnswer::kTaken);
    takers.push_back(std::make_unique<Taker>(Taker{std::move(entry), now, std::move(place)}));
    return takers.back().get();
  }

  // The time from which others may use its place, even if it still runs or its answer is still
  // being sent.
  TimePoint GivesPlaceAwayAt(const Taker& taker) const {
    const TimePoint long_from = taker.began + options.long_after;
    if (taker.entry != nullptr) return long_from;
    return std::min(long_from, taker.answered + options.slow_client_after);
  }

  size_t FreePlaces(TimePoint now) const LOCKSTEP_REQUIRES(mutex) {
    const auto long_count = static_cast<size_t>(std::ranges::count_if(
        takers, [&](const auto& taker) { return GivesPlaceAwayAt(*taker) <= now; }));
    // Running more at once would only slow all of them down.
    const size_t may_run =
        standing.stands() ? std::min(options.max_running, options.run_well) : options.max_running;
    const size_t taken = takers.size() - std::min(long_count, options.max_running);
    return taken < may_run ? may_run - taken : 0;
  }

  // The next time at which waiting queries need attention without an external event.
  TimePoint NextChange(TimePoint now) const LOCKSTEP_REQUIRES(mutex) {
    TimePoint next = TimePoint::max();
    if (queue.empty()) return next;
    for (const EntryPtr& entry : queue) next = std::min(next, entry->deadline);
    for (const auto& taker : takers) {
      const TimePoint given_away_at = GivesPlaceAwayAt(*taker);
      if (given_away_at > now) next = std::min(next, given_away_at);
    }
    return next;
  }

  // Removes from the queue the entries that must not wait any longer.
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

  // More than half of the admitted queries are waiting for slow clients to receive their answers.
  bool WaitsForClients(TimePoint now) const LOCKSTEP_REQUIRES(mutex) {
    const auto waiting = static_cast<size_t>(std::ranges::count_if(takers, [&](const auto& taker) {
      return taker->entry == nullptr && now - taker->answered >= options.slow_client_after;
    }));
    return 2 * waiting > takers.size();
  }

  // Moves queries that are due but have waited too long in a standing queue to `late`. Returns the
  // next one to admit, like FindNext().
  std::deque<EntryPtr>::iterator SkipLate(std::deque<EntryPtr>::iterator next, TimePoint now,
                                          std::vector<EntryPtr>& late) LOCKSTEP_REQUIRES(mutex) {
    // Others are waiting, but not for processors.
    if (WaitsForClients(now)) {
      standing.Reset();
      return next;
    }
    // A client with few queued queries is not the cause of a standing queue.
    while (next != queue.end() &&
           standing.Leaves(now, now - (*next)->arrived,
                           queue.size() > 1 ? Behind::kMore : Behind::kNothing) &&
           !queue_rooms.HasLittle((*next)->client)) {
      late.push_back(std::move(*next));
      queue.erase(next);
      ++refused;
      next = FindNext(now);
    }
    return next;
  }

  // The time includes sending the answer, because slow clients also make others wait.
  void GiveBack(const Taker* gone) {
    const MutexLock lock(mutex);
    standing.Took(QueryBudget::Clock::now() - gone->began);
    std::erase_if(takers, [gone](const auto& taker) { return taker.get() == gone; });
    WakeIfUseful(QueryBudget::Clock::now());
  }

  // On a busy machine it takes a while until a woken thread runs. Until then, wake no other thread
  // for the same place.
  void WakeIfUseful(TimePoint now) LOCKSTEP_REQUIRES(mutex) {
    if (!queue.empty() && waking_count < FreePlaces(now)) WakeOne();
  }

  // Wakes the thread that worked last, because its memory is warm: a few threads handle light load.
  void WakeOne() LOCKSTEP_REQUIRES(mutex) {
    if (idle.empty()) return;
    idle.back()->NotifyOne();
    idle.pop_back();
    ++waking_count;
  }

  // The next query to run, and those ahead of it that have waited too long. If both are empty, the
  // gate is closing.
  struct Next {
    Taker* taker = nullptr;
    std::vector<EntryPtr> late;
  };

  Next AwaitNext(CondVar& woken) {
    Next result;
    const MutexLock lock(mutex);
    while (!closing) {
      const TimePoint now = QueryBudget::Clock::now();
      const auto next = SkipLate(FindNext(now), now, result.late);
      if (next != queue.end()) {
        result.taker = Admit(next, now);
        if (FindNext(now) != queue.end()) WakeIfUseful(now);
        return result;
      }
      if (!result.late.empty()) return result;
      WaitForWork(woken);
    }
    return result;
  }

  void WaitForWork(CondVar& woken) LOCKSTEP_REQUIRES(mutex) {
    idle.push_back(&woken);
    woken.Wait(mutex);
    if (std::erase(idle, &woken) == 0) --waking_count;
  }

  const QueryGateOptions options;
  FairPool memory;
  FairPool queue_rooms;
  FairPool places;  // for admitted queries, whether or not they hold a place
  mutable Mutex mutex;
  CondVar sweep_needed;
  TimePoint sweeps_at
      LOCKSTEP_GUARDED_BY(mutex){};  // the next sweep without a wakeup; max() is never
  bool closing LOCKSTEP_GUARDED_BY(mutex) = false;
  // One per idle thread; the last one worked most recently.
  std::vector<CondVar*> idle LOCKSTEP_GUARDED_BY(mutex);
  size_t waking_count LOCKSTEP_GUARDED_BY(mutex) = 0;  // woken threads that are not running yet
  std::deque<EntryPtr> queue LOCKSTEP_GUARDED_BY(mutex);
  std::vector<std::unique_ptr<Taker>> takers LOCKSTEP_GUARDED_BY(mutex);
  StandingQueue standing LOCKSTEP_GUARDED_BY(mutex);
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
    while (!state.idle.empty()) state.WakeOne();
    state.sweep_needed.NotifyAll();
  }
  for (const EntryPtr& entry : waiting) Finish(*entry, Closing(), nullptr);
}

// Called without the gate's lock, because Unsubscribe() may wait for a callback that needs it.
void QueryGate::Finish(Entry& entry, const absl::Status& admitted, Place place) {
  entry.work(admitted, entry.budget, std::move(place));
  entry.work = nullptr;
  entry.cancel->Unsubscribe();
}

void QueryGate::Submit(const Limits& limits, std::shared_ptr<CancelSignal> cancel, Work work) {
  State& state = *state_;
  // The limit may have changed.
  state.memory.SetCapacity(MemoryBudget::OfProcess().MaxBytesOf(MemoryAccount::kQueries));
  auto entry = std::make_shared<Entry>(limits, state.memory, std::move(cancel), std::move(work));
  // Subscribe before queuing: afterwards a thread may already have finished with the entry. The
  // callback runs with the signal's lock held, so never call the signal while holding the gate's
  // lock.
  entry->queue_room = FairPool::Claim(state.queue_rooms, entry->client);
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
    } else if (const PoolAnswer room = entry->queue_room.Grow(1); room != PoolAnswer::kTaken) {
      refusal = TooManyWait(room, state.options.max_queued);
    } else {
      state.queue.push_back(entry);
      const TimePoint now = QueryBudget::Clock::now();
      // Without a free place, a thread is woken when one is given back.
      state.WakeIfUseful(now);
      if (state.NextChange(now) < state.sweeps_at) state.sweep_needed.NotifyOne();
      return;
    }
    ++state.refused;
  }
  Finish(*entry, refusal, nullptr);
}

void QueryGate::RunPool() {
  State& state = *state_;
  CondVar woken;
  for (;;) {
    const State::Next next = state.AwaitNext(woken);
    const TimePoint began = QueryBudget::Clock::now();
    for (const EntryPtr& late : next.late) {
      Finish(*late, WaitedTooLong(began - late->arrived), nullptr);
    }
    if (next.taker == nullptr) {
      if (next.late.empty()) return;
      continue;
    }
    const EntryPtr entry = next.taker->entry;
    Place place(next.taker, [shared = state_, entry](const void* gone) {
      shared->GiveBack(static_cast<const State::Taker*>(gone));
    });
    // Hold the place here too, so that the taker still exists when the work is done.
    Finish(*entry, WaitingStatus(entry->budget), place);
    const TimePoint now = QueryBudget::Clock::now();
    const MutexLock lock(state.mutex);
    next.taker->entry = nullptr;
    next.taker->answered = now;
    if (state.NextChange(now) < state.sweeps_at) state.sweep_needed.NotifyOne();
  }
}

// One thread manages the queue while all others are busy.
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
        if (state.FindNext(now) != state.queue.end()) state.WakeIfUseful(now);
        state.sweeps_at = state.NextChange(now);
        if (state.sweeps_at == TimePoint::max()) {
          state.sweep_needed.Wait(state.mutex);
        } else {
          state.sweep_needed.WaitFor(state.mutex, state.sweeps_at - now);
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
