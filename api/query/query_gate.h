// QueryGate: limits how many queries run at once, on its own threads.
//
// Excess work waits in a queue until there is a free place, its time is up, its client disconnects,
// or the gate closes. Work holds its place until the answer is on its way to the client, which also
// bounds the answers in memory. Work that outlasts `long_after` gives up its place, so that a few
// heavy queries or slow clients do not block many light ones; as many queries may run without a
// place as there are places. Each client gets a fair share of the admissions, the queue and the
// query memory (FairPool), and the client with the fewest admitted queries goes first. All
// work is called exactly once: on a thread of the pool if admitted, otherwise only to report the
// rejection. Safe from any thread. The destructor closes the gate and waits until all work is done.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "api/http/http.h"
#include "base/budget/client_id.h"
#include "base/budget/query_budget.h"
#include "base/threads/processors.h"
#include "base/threads/standing_queue.h"

namespace lockstep::api {

struct QueryGateOptions {
  size_t max_running = 20;  // that hold a place
  std::chrono::nanoseconds long_after = std::chrono::seconds(2);
  size_t max_queued = 1000;
  // While the queue stands, no more than these run at once, and queries that waited too long are
  // rejected.
  size_t run_well = UsableProcessorCount();
  // A client that takes this long to receive its answer is slow, and its query gives up its place.
  // Queries that wait for slow clients are not a sign of overload.
  std::chrono::nanoseconds slow_client_after = std::chrono::milliseconds(250);
  StandingQueueOptions standing{};
};

struct QueryGateStats {
  uint64_t running = 0;  // with or without a place, including answers not sent yet
  uint64_t queued = 0;
  uint64_t refused = 0;
};

class QueryGate {
 public:
  // Holds a place and the budget of the work; may outlive the gate.
  using Place = std::shared_ptr<const void>;
  // If `admitted` is OK, the work may run within `budget`; otherwise it only responds:
  //   kCancelled          the client disconnected while the query waited
  //   kDeadlineExceeded   its time was up before a thread was free
  //   kUnavailable        the queue or the client's share of it is full, the server is overloaded,
  //                       or the gate is closed
  using Work =
      absl::AnyInvocable<void(const absl::Status& admitted, QueryBudget& budget, Place place)>;

  explicit QueryGate(const QueryGateOptions& options);
  ~QueryGate();
  QueryGate(const QueryGate&) = delete;
  QueryGate& operator=(const QueryGate&) = delete;

  struct Limits {
    int64_t max_samples = 0;
    std::chrono::nanoseconds timeout{};  // includes the time in the queue
    // When the request arrived and its wait began.
    std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();
    ClientId client{};
  };
  // Uses `cancel`'s only callback until the work is done. Never blocks for long.
  void Submit(const Limits& limits, std::shared_ptr<CancelSignal> cancel, Work work);

  // Stops running work, and rejects waiting and new work. Idempotent.
  void Close();

  QueryGateStats stats() const;

 private:
  struct Entry;
  struct State;  // places, and thus their counters, may outlive the gate
  using EntryPtr = std::shared_ptr<Entry>;

  void RunPool();
  void SweepQueue();
  static void Finish(Entry& entry, const absl::Status& admitted, Place place);

  const std::shared_ptr<State> state_;
  std::vector<std::thread> threads_;
};

}  // namespace lockstep::api
