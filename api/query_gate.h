// QueryGate: lets a bounded number of queries run at once, on threads of its own.
//
// Work beyond that waits in a queue until there is a place, its time is over, its client has gone,
// or the gate closes. A place is taken until the answer is on its way to the client, so that
// answers in memory are bounded too. What takes one for long gives it away, so that a few heavy
// queries or slow clients do not keep many light ones waiting; as many may be without a place as
// there are places. Of what is admitted, of the queue and of the memory for queries each client has
// a fair share (base/fair_pool.h), and it is the turn of the one for whom least runs. Every piece
// of work is run exactly once, whatever becomes of it: on a thread of the pool when it is admitted,
// else quickly to say no. Safe from any thread. The destructor closes the gate, and returns when
// all work is over.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "api/http.h"
#include "base/client_id.h"
#include "base/processors.h"
#include "base/query_budget.h"
#include "base/standing_queue.h"

namespace lockstep::api {

struct QueryGateOptions {
  size_t max_running = 20;  // in a place
  std::chrono::nanoseconds long_after = std::chrono::seconds(2);
  size_t max_queued = 1000;
  // When the queue stands, no more than these run at once, and who has waited too long is refused.
  size_t run_well = UsableProcessorCount();
  // A client that has not taken its answer for so long is slow, and its query gives its place away.
  // Queries that wait for slow clients are no sign that more come than can be answered.
  std::chrono::nanoseconds slow_client_after = std::chrono::milliseconds(250);
  StandingQueueOptions standing{};
};

struct QueryGateStats {
  uint64_t running = 0;  // in a place or without, and answers that are not sent yet
  uint64_t queued = 0;
  uint64_t refused = 0;
};

class QueryGate {
 public:
  // Whoever has it takes a place, and keeps the budget of the work; may outlive the gate.
  using Place = std::shared_ptr<const void>;
  // `admitted` is OK when the work may run, within `budget`; otherwise the work only answers:
  //   kCancelled          the client went away while it waited
  //   kDeadlineExceeded   its time was over before a thread was free
  //   kUnavailable        the queue is full, or the client has its share of it, or more comes all the
  //                       time than can be run, or the gate is closed
  using Work =
      absl::AnyInvocable<void(const absl::Status& admitted, QueryBudget& budget, Place place)>;

  explicit QueryGate(const QueryGateOptions& options);
  ~QueryGate();
  QueryGate(const QueryGate&) = delete;
  QueryGate& operator=(const QueryGate&) = delete;

  struct Limits {
    int64_t max_samples = 0;
    std::chrono::nanoseconds timeout{};  // waiting included
    // When the request came: its wait begins then.
    std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();
    ClientId client{};
  };
  // Takes over `cancel`'s one callback until the work is over. Never blocks for long.
  void Submit(const Limits& limits, std::shared_ptr<CancelSignal> cancel, Work work);

  // Stops what runs, and refuses what waits and what comes from now on. Idempotent.
  void Close();

  QueryGateStats stats() const;

 private:
  struct Entry;
  struct State;  // places outlive the gate, and so does what they are counted in
  using EntryPtr = std::shared_ptr<Entry>;

  void RunPool();
  void SweepQueue();
  static void Finish(Entry& entry, const absl::Status& admitted, Place place);

  const std::shared_ptr<State> state_;
  std::vector<std::thread> threads_;
};

}  // namespace lockstep::api
