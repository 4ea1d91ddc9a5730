// KnownSamples: collects samples of series whose spelling is known, and looks them up in the store
// all at once. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ingest/otlp/translate/series_keys.h"
#include "storage/write.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::otlp {

class KnownSamples {
 public:
  // `keys` must outlive the object. `size_hint` is the maximum number of samples.
  KnownSamples(const SeriesKeys& keys, size_t size_hint) : keys_(keys) {
    series_.reserve(size_hint);
    samples_.reserve(size_hint);
  }

  // Returns false, and adds nothing, if that spelling has not been translated yet.
  bool Add(const Spelling& series, const Sample& sample, int64_t start_timestamp_ms);
  // Adds samples of one series, at least one.
  void Add(const SeriesKey& series, std::span<const Sample> samples);

  size_t size() const { return samples_.size(); }
  size_t series_count() const { return samples_.size() - further_samples_; }
  // Removes all but the first `size`.
  void Truncate(size_t size);

  // All samples, with their series as known to the store. False if the store lacks one.
  bool Resolve(const Storage& storage, std::vector<KnownSample>& known);

 private:
  const SeriesKeys& keys_;
  std::vector<SeriesKey> series_;  // of each sample
  std::vector<KnownSample> samples_;
  size_t further_samples_ = 0;  // samples beyond the first of their series
};

}  // namespace lockstep::otlp
