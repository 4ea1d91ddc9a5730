// MemoryStorage: the contract of the store in its simplest form, for tests of what is above the store.
//
// A sorted map of series, each a sorted map of samples; every query walks all of it. Counter-reset hints
// of histograms are given back as they were written.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "base/mutex.h"
#include "storage/storage.h"

namespace lockstep {

// Safe from any thread. Queriers see the store as it was when they were made.
class MemoryStorage : public Storage {
 public:
  // One of the two kinds of sample.
  struct Value {
    double number = 0;
    std::shared_ptr<const Histogram> histogram;  // when set, `number` means nothing
    int64_t start_timestamp_ms = 0;
  };
  using SeriesMap = std::map<LabelSet, std::map<int64_t, Value>>;

  // Adds at once; a sample at a time that the series has already replaces the old one.
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
  // The map, copied first if a querier holds it.
  SeriesMap& Writable() LOCKSTEP_REQUIRES(mutex_);

  void NoteChange(int64_t timestamp_ms) LOCKSTEP_REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<int64_t> changes_ms_
      LOCKSTEP_GUARDED_BY(mutex_);  // the time of each sample that came
  std::shared_ptr<SeriesMap> series_ LOCKSTEP_GUARDED_BY(mutex_) = std::make_shared<SeriesMap>();
};

}  // namespace lockstep
