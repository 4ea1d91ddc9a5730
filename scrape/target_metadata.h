// TargetMetadata: a target's metric metadata, as far as there is memory for it. Thread-safe.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/budget/memory_budget.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "ingest/exposition/text_entry.h"
#include "ingest/side_data/metadata_store.h"

namespace lockstep::scrape {

class TargetMetadata {
 public:
  // Accepts entries of kind kType, kHelp or kUnit.
  void Put(const exposition::TextEntry& entry);
  // Returns the changes since the last call, and forgets entries not put since then.
  std::vector<MetadataEntry> TakeChanges();

  // The metadata of one metric, or of all if `metric` is empty; sorted.
  std::vector<MetadataEntry> List(std::string_view metric) const;

 private:
  struct Kept {
    uint64_t ByteCount(std::string_view metric) const;

    MetricMetadata metadata;
    bool is_changed = true;
    bool is_seen = true;
  };

  mutable Mutex mutex_;
  StringMap<Kept> metrics_ LOCKSTEP_GUARDED_BY(mutex_);
  MemoryCharge memory_ LOCKSTEP_GUARDED_BY(mutex_){MemoryAccount::kScrapes};
};

}  // namespace lockstep::scrape
