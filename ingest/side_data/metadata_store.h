// MetadataStore: metric metadata from senders (type, help, unit), for /api/v1/metadata. In memory
// and bounded; ingest/side_data/side_data_keeper.h keeps it across restarts. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget/memory_budget.h"
#include "base/mutex.h"

namespace lockstep {

struct MetricMetadata {
  std::string type;  // "counter", "gauge", ..., "unknown"
  std::string help;
  std::string unit;
  friend bool operator==(const MetricMetadata&, const MetricMetadata&) = default;
};

struct MetadataEntry {
  std::string metric;
  MetricMetadata metadata;
};
// Whether it names a metric and all texts are valid UTF-8.
bool IsUsable(const MetadataEntry& entry);

class MetadataStore {
 public:
  static constexpr size_t kMaxVariantsPerMetric = 10;

  // `max_bytes` bounds all texts together; entries that exceed it or the available memory are
  // dropped.
  explicit MetadataStore(size_t max_bytes = 64 << 20) : max_bytes_(max_bytes) {}

  void Put(const std::vector<MetadataEntry>& entries);

  struct Metric {
    std::string name;
    std::vector<MetricMetadata> variants;  // from different senders, in order of arrival
  };
  struct Filter {
    std::string_view metric = {};  // "": all
    size_t max_metrics = SIZE_MAX;
    size_t max_variants = SIZE_MAX;
  };
  // Sorted by name.
  std::vector<Metric> List(const Filter& filter) const;
  size_t metric_count() const;
  // The number of changes to the result of List().
  uint64_t change_count() const;

 private:
  void PutOne(const MetadataEntry& entry) LOCKSTEP_REQUIRES(mutex_);

  const size_t max_bytes_;
  mutable Mutex mutex_;
  MemoryCharge memory_ LOCKSTEP_GUARDED_BY(mutex_){MemoryAccount::kMetadata};  // for the texts
  uint64_t change_count_ LOCKSTEP_GUARDED_BY(mutex_) = 0;
  std::map<std::string, std::vector<MetricMetadata>, std::less<>> metrics_
      LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep
