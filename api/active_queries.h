// ActiveQueries: the queries that wait or run, for whoever wants to see one or stop it.
//
// Safe from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/http.h"
#include "base/mutex.h"
#include "base/query_budget.h"
#include "query/engine/engine.h"

namespace lockstep::api {

// What is known of a query before it runs.
struct QueryDescription {
  std::string path;      // of the endpoint
  std::string text;      // the expression, or the selectors
  std::string user;      // "" when nobody has to say who they are
  std::string client;    // its address
  int64_t start_ms = 0;  // Unix
};

struct ActiveQuery {
  uint64_t id = 0;
  QueryDescription description;
  bool is_running = false;  // else it waits for its turn
  double age_seconds = 0;
  int64_t samples_read = 0;
  int64_t peak_samples = 0;  // charged to its budget at once, so far
};

class ActiveQueries {
 public:
  // One query's place in the list: it is taken off when this goes. Must not outlive the list.
  class Ticket {
   public:
    ~Ticket();
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

    // It runs from now on. `budget` outlives the ticket.
    void Start(const QueryBudget& budget);
    engine::QueryProgress& progress() { return progress_; }

   private:
    friend class ActiveQueries;
    Ticket(ActiveQueries& queries, uint64_t id) : queries_(queries), id_(id) {}

    ActiveQueries& queries_;
    const uint64_t id_;
    engine::QueryProgress progress_;
  };

  // `cancel` is what Cancel() fires. Texts are cut to kMaxTextBytes.
  std::unique_ptr<Ticket> Add(QueryDescription description, std::shared_ptr<CancelSignal> cancel);
  // In the order in which they came.
  std::vector<ActiveQuery> List() const;
  // False when there is no such query (any more).
  bool Cancel(uint64_t id);

  static constexpr size_t kMaxTextBytes = 10'000;

 private:
  using Clock = std::chrono::steady_clock;

  struct Entry {
    QueryDescription description;
    std::shared_ptr<CancelSignal> cancel;
    Clock::time_point start;
    const engine::QueryProgress* progress = nullptr;
    const QueryBudget* budget = nullptr;  // null while it waits
  };

  mutable Mutex mutex_;
  uint64_t last_id_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Entry> entries_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::api
