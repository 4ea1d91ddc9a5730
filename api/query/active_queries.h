// ActiveQueries: the queries that are waiting or running, so that users can list and cancel them.
//
// Safe from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/http/http.h"
#include "base/budget/query_budget.h"
#include "base/mutex.h"
#include "query/engine/engine.h"

namespace lockstep::api {

// A query's description before it runs.
struct QueryDescription {
  std::string path;      // of the endpoint
  std::string text;      // the expression, or the selectors
  std::string user;      // "" when authentication is off
  std::string client;    // the client's address
  int64_t start_ms = 0;  // Unix
};

struct ActiveQuery {
  uint64_t id = 0;
  QueryDescription description;
  bool is_running = false;  // false while it waits in the queue
  double age_seconds = 0;
  int64_t samples_read = 0;
  int64_t peak_samples = 0;  // the most samples charged to its budget at once, so far
};

class ActiveQueries {
 public:
  // One query's entry in the list. The destructor removes it. Must not outlive the list.
  class Ticket {
   public:
    ~Ticket();
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

    // Marks the query as running. `budget` must outlive the ticket.
    void Start(const QueryBudget& budget);
    engine::QueryProgress& progress() { return progress_; }

   private:
    friend class ActiveQueries;
    Ticket(ActiveQueries& queries, uint64_t id) : queries_(queries), id_(id) {}

    ActiveQueries& queries_;
    const uint64_t id_;
    engine::QueryProgress progress_;
  };

  // Cancel() fires `cancel`. Texts are cut to kMaxTextBytes.
  std::unique_ptr<Ticket> Add(QueryDescription description, std::shared_ptr<CancelSignal> cancel);
  // In order of arrival.
  std::vector<ActiveQuery> List() const;
  // Returns false if there is no such query, or no longer.
  bool Cancel(uint64_t id);

  static constexpr size_t kMaxTextBytes = 10'000;

 private:
  using Clock = std::chrono::steady_clock;

  struct Entry {
    QueryDescription description;
    std::shared_ptr<CancelSignal> cancel;
    Clock::time_point start;
    const engine::QueryProgress* progress = nullptr;
    const QueryBudget* budget = nullptr;  // null while the query waits
  };

  mutable Mutex mutex_;
  uint64_t last_id_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Entry> entries_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::api
