// TargetMetadata: what a target says about its metrics, as far as there is memory for it. Safe from
// any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/memory_budget.h"
#include "base/mutex.h"
#include "base/string_map.h"
#include "ingest/exposition/text_entry.h"
#include "ingest/metadata_store.h"

namespace lockstep::scrape {

class TargetMetadata {
 public:
  // Takes an entry of kind kType, kHelp or kUnit.
  void Put(const exposition::TextEntry& entry);
  // What has changed since the last call; what was not put since then is forgotten.
  std::vector<MetadataEntry> TakeChanges();

  // Of one metric, or of all if `metric` is empty; sorted.
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
