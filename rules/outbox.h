// Outbox: what one receiver has yet to hear of alerts. It keeps only the newest state of each alert, so
// that a receiver that was away hears what is true when it is back, not what was true in the meantime.
//
// An alert is its labels as the receiver sees them. Several rules, or elements that relabelling made
// alike, may be behind one alert: it fires as long as one of them does. A firing alert that nobody
// confirms any more, as its rule fails or is gone, is not sent after its `ends_at_ms`.
//
// Pure; not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "model/labels.h"
#include "rules/notice.h"

namespace lockstep::rules {

struct OutboxOptions {
  size_t max_waiting = 10'000;  // alerts; the one that has waited longest makes room for another
  // The receiver is told once when an alert fires and once when it is over, instead of again and again.
  bool once = false;
};

class Outbox {
 public:
  explicit Outbox(OutboxOptions options) : options_(options) {}

  void Put(const Notice& notice, int64_t now_ms);

  struct Waiting {
    uint64_t turn = 0;  // its place in the queue
    Notice notice;
  };
  // Takes out what has waited longest, at most `max_count`. What is no longer true is dropped.
  std::vector<Waiting> Take(size_t max_count, int64_t now_ms);
  // What could not be told waits again in its old place, unless a newer state of the alert does.
  void PutBack(std::vector<Waiting> taken);

  // Whether nothing waits.
  bool empty() const { return order_.empty(); }
  // Alerts whose newest state was dropped, as too many waited or for too long.
  uint64_t dropped() const { return dropped_; }
  // Alerts that it knows of, whether or not something waits.
  size_t remembered() const { return entries_.size(); }

 private:
  enum class Told { kNothing, kFiring, kOver };

  struct Entry {
    std::map<uint64_t, int64_t> firing_until_ms;  // by source
    int64_t since_ms = 0;  // start of the firing that goes on, or was the last
    int64_t confirmed_until_ms = 0;
    // What the receiver was told last, or is being told.
    Told told = Told::kNothing;
    int64_t told_since_ms = 0;
    uint64_t turn = 0;  // 0: nothing waits
    Notice waiting;
  };
  using Entries = std::map<LabelSet, Entry>;

  void PutFiring(Entries::iterator at, const Notice& notice);
  void PutResolved(Entries::iterator at, const Notice& notice);
  void Enqueue(Entries::iterator at, const Notice& notice);
  // A firing alert goes on for as long as any of its sources says.
  static void Confirm(Entry& entry);
  bool IsOutdated(const Notice& notice, int64_t now_ms) const;
  void DropFirst();
  void Prune(int64_t now_ms);

  const OutboxOptions options_;
  Entries entries_;
  std::map<uint64_t, Entries::iterator> order_;  // of what waits, by turn
  uint64_t last_turn_ = 0;
  uint64_t dropped_ = 0;
  size_t prune_at_size_ = 1'024;
};

}  // namespace lockstep::rules
