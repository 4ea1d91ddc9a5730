// TargetSeries: the series of one target from scrape to scrape: what their text in a body means, and which of
// them are to be marked stale when they are gone.
//
// A series is known by its text as it stands in the body, so that from its second scrape on its labels cost no
// parsing, no relabelling and no hashing. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "base/memory_budget.h"
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

// What the scraped labels become on the target: its own labels are added, those that collide renamed or
// honoured, and the rules for samples applied. Empty: the series is dropped. kInvalidArgument if they cannot
// be a series or break a limit.
absl::StatusOr<LabelSet> LabelsOnTarget(const exposition::SeriesLabels& scraped,
                                        const Target& target);

class TargetSeries {
 public:
  struct Entry {
    // What it takes, its text included, roughly.
    uint64_t ByteCount(std::string_view text) const;

    KeyedLabels series;
    bool is_dropped = false;  // by a rule
    bool tracks_end = false;  // in the scrape that saw it last
    bool awaits_end = false;  // is to be marked stale when it is gone
    uint64_t seen_in = 0;     // a scrape's number
  };

  // Between Begin() and one of End() and Abandon() a body is read.
  void Begin() { ++scrape_; }

  struct Found {
    Entry& entry;
    bool is_new = false;       // its text was not known
    bool is_repeated = false;  // seen in this scrape already
  };
  // `bound_label` as exposition::BoundLabelOf() says. Fails also if there is no memory for a new
  // one. The reference lives until End(), Abandon() or Forget().
  absl::StatusOr<Found> Find(std::string_view text, exposition::TextFormat format,
                             std::string_view bound_label, const Target& target);

  // The body was read whole. Returns the series that were there before it and are not now; those not seen are
  // forgotten.
  std::vector<KeyedLabels> End();
  // There was no body, or a bad one. Returns all series that were there before.
  std::vector<KeyedLabels> Abandon();

  // The rules have changed: every text has to be read anew. What was there is not forgotten.
  void Forget();

 private:
  void GiveBack(uint64_t bytes);

  uint64_t scrape_ = 0;
  size_t last_size_ = 0;  // of entries_ after the last good scrape
  absl::node_hash_map<std::string, Entry, StringHash, StringEqual> entries_;
  std::vector<KeyedLabels> orphans_;  // of before Forget()
  uint64_t orphan_bytes_ = 0;
  MemoryCharge memory_{MemoryAccount::kScrapes};  // of both
  exposition::SeriesLabels scratch_;
};

}  // namespace lockstep::scrape
