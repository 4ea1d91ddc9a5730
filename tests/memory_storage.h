// MemoryStorage: the simplest implementation of the store's contract, for tests of modules above
// it.
//
// A sorted map of series, each a sorted map of samples; every query scans all of it. Counter-reset
// hints of histograms are returned as they were written.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "storage/storage.h"

namespace lockstep {

// Safe from any thread. Queriers see the store as of their creation.
class MemoryStorage : public Storage {
 public:
  // A float or a histogram.
  struct Value {
    double number = 0;
    std::shared_ptr<const Histogram> histogram;  // if set, `number` is unused
    int64_t start_timestamp_ms = 0;
  };
  using SeriesMap = std::map<LabelSet, std::map<int64_t, Value>>;

  // Adds immediately; a sample replaces an existing one with the same time.
  void Append(const LabelSet& labels, int64_t timestamp_ms, double value);
  void Append(const LabelSet& labels, int64_t timestamp_ms,
              std::shared_ptr<const Histogram> histogram);
  void Clear();

  void Write(WriteRequest request, WriteCallback committed) override;
  absl::StatusOr<std::unique_ptr<Querier>> NewQuerier() const override;
  uint64_t change_count() const override;
  TimeRange UnchangedSince(uint64_t count) const override;
  StorageStats stats() const override;
  absl::StatusOr<CardinalityStats> Cardinality(const CardinalityQuery& query) const override;

 private:
  // The map for writing; copied first if a querier holds it.
  SeriesMap& Writable() LOCKSTEP_REQUIRES(mutex_);

  void NoteChange(int64_t timestamp_ms) LOCKSTEP_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<int64_t> changes_ms_ LOCKSTEP_GUARDED_BY(mutex_);  // of each sample that was added
  std::shared_ptr<SeriesMap> series_ LOCKSTEP_GUARDED_BY(mutex_) = std::make_shared<SeriesMap>();
};

}  // namespace lockstep
