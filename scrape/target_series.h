// TargetSeries: remembers the series of one target across scrapes: what their text in a body means,
// and which to mark stale once they are gone.
//
// A series is identified by its text in the body, so that from its second scrape on, its labels
// need no parsing, relabelling or hashing. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "base/budget/memory_budget.h"
#include "base/status.h"
#include "base/string_map.h"
#include "ingest/exposition/text_entry.h"
#include "model/labels.h"
#include "model/series_key.h"
#include "scrape/target.h"

namespace lockstep::scrape {

struct KeyedLabels {
  SeriesKey key;
  LabelSet labels;
};

// The labels of a scraped series: adds the target's labels, renames or honours colliding ones, and
// applies the metric relabelling rules. Empty if the series is dropped. kInvalidArgument if the
// labels are invalid or break a limit.
absl::StatusOr<LabelSet> LabelsOnTarget(const exposition::SeriesLabels& scraped,
                                        const Target& target);

class TargetSeries {
 public:
  struct Entry {
    // Its approximate memory, including its text.
    uint64_t ByteCount(std::string_view text) const;

    KeyedLabels series;
    bool is_dropped = false;  // by a rule
    bool tracks_end = false;  // in the last scrape with it
    bool awaits_end = false;  // mark it stale once it is gone
    uint64_t seen_in = 0;     // a scrape's number
  };

  // A body is read between Begin() and either End() or Abandon().
  void Begin() { ++scrape_; }

  struct Found {
    Entry& entry;
    bool is_new = false;       // its text was unknown
    bool is_repeated = false;  // already seen in this scrape
  };
  // `bound_label` comes from exposition::BoundLabelOf(). Also fails if there is no memory for a new
  // series. The reference is valid until End(), Abandon() or Forget().
  absl::StatusOr<Found> Find(std::string_view text, exposition::TextFormat format,
                             std::string_view bound_label, const Target& target);

  // The body was read completely. Returns the series that were present before but not now; forgets
  // those not seen.
  std::vector<KeyedLabels> End();
  // There was no valid body. Returns all series that were present before.
  std::vector<KeyedLabels> Abandon();

  // The rules have changed: forgets the meaning of every text, but not which series were present.
  void Forget();

 private:
  void GiveBack(uint64_t bytes);

  uint64_t scrape_ = 0;
  size_t last_size_ = 0;  // size of entries_ after the last good scrape
  absl::node_hash_map<std::string, Entry, StringHash, StringEqual> entries_;
  std::vector<KeyedLabels> orphans_;  // from before Forget()
  uint64_t orphan_bytes_ = 0;
  MemoryCharge memory_{MemoryAccount::kScrapes};  // for both
  exposition::SeriesLabels scratch_;
};

}  // namespace lockstep::scrape
