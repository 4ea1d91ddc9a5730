#include "api/query_gate.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/fair_pool.h"
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

absl::Status WaitedTooLong(std::chrono::nanoseconds waited) {
  return absl::UnavailableError(absl::StrFormat(
      "more queries come than the server can answer: this one has waited %d ms; try again later",
      std::chrono::duration_cast<std::chrono::milliseconds>(waited).count()));
}

absl::Status TooManyWait(PoolAnswer room, size_t max_queued) {
  return absl::UnavailableError(absl::StrFormat(
      "too many queries %sare waiting, of which %d may (query.max-concurrency); try again later",
      room == PoolAnswer::kOverShare ? "of this client " : "", max_queued));
}

}  // namespace

struct QueryGate::Entry {
  // `memory` is what the clients share of the account for queries.
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

  // What has been admitted.
  struct Taker {
    EntryPtr entry;  // null when its work is over and its answer on its way
    TimePoint began;
    FairPool::Claim place;
    TimePoint answered{};  // when its work was over
  };

  // The next to be admitted: of the clients that have less than their share the one that has least. The end of
  // the queue if nothing may be admitted.
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

  // Precondition: FindNext() found it.
  Taker* Admit(std::deque<EntryPtr>::iterator next, TimePoint now) LOCKSTEP_REQUIRES(mutex) {
    EntryPtr entry = std::move(*next);
    queue.erase(next);
    entry->queue_room = FairPool::Claim();
    FairPool::Claim place(places, entry->client);
    // Nobody else takes places.
    LOCKSTEP_CHECK(place.Grow(1) == PoolAnswer::kTaken);
    takers.push_back(std::make_unique<Taker>(Taker{std::move(entry), now, std::move(place)}));
    return takers.back().get();
  }

  // When others may run in its place, although it still runs or its answer is still being sent.
  TimePoint GivesPlaceAwayAt(const Taker& taker) const {
    const TimePoint long_from = taker.began + options.long_after;
    if (taker.entry != nullptr) return long_from;
    return std::min(long_from, taker.answered + options.slow_client_after);
  }

  size_t FreePlaces(TimePoint now) const LOCKSTEP_REQUIRES(mutex) {
    const auto long_count = static_cast<size_t>(std::ranges::count_if(
        takers, [&](const auto& taker) { return GivesPlaceAwayAt(*taker) <= now; }));
    // More at once would only make all of them slower.
    const size_t may_run =
        standing.stands() ? std::min(options.max_running, options.run_well) : options.max_running;
    const size_t taken = takers.size() - std::min(long_count, options.max_running);
    return taken < may_run ? may_run - taken : 0;
  }

  // When something changes for what waits without anybody's doing.
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

  // More than half of what has been admitted waits until slow clients take its answers.
  bool WaitsForClients(TimePoint now) const LOCKSTEP_REQUIRES(mutex) {
    const auto waiting = static_cast<size_t>(std::ranges::count_if(takers, [&](const auto& taker) {
      return taker->entry == nullptr && now - taker->answered >= options.slow_client_after;
    }));
    return 2 * waiting > takers.size();
  }

  // Moves to `late` what would be next but has waited too long in a queue that stands. Returns what
  // may be admitted, as FindNext() does.
  std::deque<EntryPtr>::iterator SkipLate(std::deque<EntryPtr>::iterator next, TimePoint now,
                                          std::vector<EntryPtr>& late) LOCKSTEP_REQUIRES(mutex) {
    // Others wait, but not for want of processors.
    if (WaitsForClients(now)) {
      standing.Reset();
      return next;
    }
    // A client with little in the queue is not the reason that it stands.
    while (next != queue.end() && standing.Leaves(now, now - (*next)->arrived) &&
           !queue_rooms.HasLittle((*next)->client)) {
      late.push_back(std::move(*next));
      queue.erase(next);
      ++refused;
      next = FindNext(now);
    }
    return next;
  }

  // The time until the answer is taken counts: slow clients make others wait, too.
  void GiveBack(const Taker* gone) {
    const MutexLock lock(mutex);
    standing.Took(QueryBudget::Clock::now() - gone->began);
    std::erase_if(takers, [gone](const auto& taker) { return taker.get() == gone; });
    WakeIfUseful(QueryBudget::Clock::now());
  }

  // On a busy machine it takes a while until a thread that was woken runs: meanwhile others are not
  // woken for the same place.
  void WakeIfUseful(TimePoint now) LOCKSTEP_REQUIRES(mutex) {
    if (!queue.empty() && waking_count < FreePlaces(now)) WakeOne();
  }

  // Wakes the thread that worked last, whose memory is warm: a few threads do what little there is.
  void WakeOne() LOCKSTEP_REQUIRES(mutex) {
    if (idle.empty()) return;
    idle.back()->NotifyOne();
    idle.pop_back();
    ++waking_count;
  }

  // The next to be run, and those before it that have waited too long. If there are none of either,
  // the gate is closing.
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
  FairPool places;  // of what is admitted, in a place or without
  mutable Mutex mutex;
  CondVar sweep_needed;
  TimePoint sweeps_at LOCKSTEP_GUARDED_BY(mutex){};  // without being told; max() is never
  bool closing LOCKSTEP_GUARDED_BY(mutex) = false;
  // Each is that of a thread without work; the last one has worked last.
  std::vector<CondVar*> idle LOCKSTEP_GUARDED_BY(mutex);
  size_t waking_count LOCKSTEP_GUARDED_BY(mutex) = 0;  // threads that were woken and do not run yet
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

// Called without the gate's lock: Unsubscribe() may have to wait for a callback that wants it.
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
  // Subscribed before it is queued: afterwards a thread may already have finished with it. Called with
  // the signal's lock held, so the gate's lock is never held around a call to the signal.
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
      // Without a place, whoever gives one back wakes a thread.
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
    // Kept here too, so that the taker is there when the work is over.
    Finish(*entry, WaitingStatus(entry->budget), place);
    const TimePoint now = QueryBudget::Clock::now();
    const MutexLock lock(state.mutex);
    next.taker->entry = nullptr;
    next.taker->answered = now;
    if (state.NextChange(now) < state.sweeps_at) state.sweep_needed.NotifyOne();
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
