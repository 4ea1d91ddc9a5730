// KnownSamples: samples of series that are known by their spelling, until the store is asked for all of them at once.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ingest/otlp/series_keys.h"
#include "storage/storage.h"

namespace lockstep::otlp {

class KnownSamples {
 public:
  // `keys` outlives the object. `size_hint`: how many there may be.
  KnownSamples(const SeriesKeys& keys, size_t size_hint) : keys_(keys) {
    series_.reserve(size_hint);
    samples_.reserve(size_hint);
  }

  // False, and nothing is added, if nobody has translated that spelling.
  bool Add(const Spelling& series, const Sample& sample, int64_t start_timestamp_ms);
  // Of one series, one at least.
  void Add(const SeriesKey& series, std::span<const Sample> samples);

  size_t size() const { return samples_.size(); }
  size_t series_count() const { return samples_.size() - further_samples_; }
  // Takes back all but the first `size`.
  void Truncate(size_t size);

  // All of them, with their series as the store has them. False if it lacks one.
  bool Resolve(const Storage& storage, std::vector<KnownSample>& known);

 private:
  const SeriesKeys& keys_;
  std::vector<SeriesKey> series_;  // of each sample
  std::vector<KnownSample> samples_;
  size_t further_samples_ = 0;  // of a series whose first is there
};

}  // namespace lockstep::otlp
