// Outbox: the alerts that one receiver has yet to get. It keeps only the newest state of each
// alert, so that a receiver that was unavailable learns what is true now, not what was true in the
// meantime.
//
// An alert is identified by its labels as the receiver sees them. Several rules, or elements that
// relabelling made equal, may be behind one alert, which fires as long as one of them does. A
// firing alert that is no longer confirmed, because its rule fails or was removed, is not sent
// after its `ends_at_ms`.
//
// No side effects; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/labels.h"
#include "rules/alerts/notice.h"

namespace lockstep::rules {

struct OutboxOptions {
  size_t max_waiting = 10'000;  // alerts; a new one replaces the one that has waited longest
  // Send each alert once when it fires and once when it resolves, instead of repeatedly.
  bool once = false;
};

class Outbox {
 public:
  explicit Outbox(OutboxOptions options) : options_(options) {}

  void Put(const Notice& notice, int64_t now_ms);

  struct Waiting {
    uint64_t turn = 0;  // position in the queue
    Notice notice;
  };
  // Takes at most `max_count` alerts, longest wait first. Drops states that are no longer true.
  std::vector<Waiting> Take(size_t max_count, int64_t now_ms);
  // Returns alerts that could not be sent to their old positions, unless newer states wait.
  void PutBack(std::vector<Waiting> taken);

  // Whether nothing waits.
  bool empty() const { return order_.empty(); }
  // Alerts whose newest state was dropped because too many waited or it waited too long.
  uint64_t dropped() const { return dropped_; }
  // Known alerts, waiting or not.
  size_t remembered() const { return entries_.size(); }

 private:
  enum class Told { kNothing, kFiring, kOver };

  struct Entry {
    std::map<uint64_t, int64_t> firing_until_ms;  // by source
    int64_t since_ms = 0;                         // start of the current or last firing
    int64_t confirmed_until_ms = 0;
    // The state that the receiver was last sent or is being sent.
    Told told = Told::kNothing;
    int64_t told_since_ms = 0;
    uint64_t turn = 0;  // 0 if not waiting
    Notice waiting;
  };
  using Entries = std::map<LabelSet, Entry>;

  void PutFiring(Entries::iterator at, const Notice& notice);
  void PutResolved(Entries::iterator at, const Notice& notice);
  void Enqueue(Entries::iterator at, const Notice& notice);
  // Extends a firing alert to the latest end of its sources.
  static void Confirm(Entry& entry);
  bool IsOutdated(const Notice& notice, int64_t now_ms) const;
  void DropFirst();
  void Prune(int64_t now_ms);

  const OutboxOptions options_;
  Entries entries_;
  std::map<uint64_t, Entries::iterator> order_;  // waiting alerts by turn
  uint64_t last_turn_ = 0;
  uint64_t dropped_ = 0;
  size_t prune_at_size_ = 1'024;
};

}  // namespace lockstep::rules
