// SeriesKeys: maps the spelling of points in their request to their series, so that repeated points
// are translated only once.
//
// A spelling represents bytes as a SeriesKey represents labels (model/series_key.h): nobody can
// construct two inputs with the same one. Not thread-safe; a SeriesKeysPool gives each request its
// own.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/mutex.h"
#include "model/series_key.h"

namespace lockstep::otlp {

using Spelling = SeriesKey;

inline Spelling SpellingOf(std::string_view bytes) {
  const LabelsHash hash = HashOfLabels(bytes);
  return {hash.high, hash.low};
}
// Combines the spelling of `inner` with that of its container `outer`. Both are effectively random,
// and so is the result.
inline Spelling SpellingOf(const Spelling& outer, const Spelling& inner) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;  // from the golden ratio; any odd number works
  return {outer.high * kOdd + inner.high, outer.low * kOdd + inner.low};
}

// Which of a point's series: the point itself, or one of a classic histogram's others.
enum class SeriesPart : uint8_t { kWhole, kSum, kCount, kBucket };
// `bound` is a bucket's bound, kNoBound for the last one, otherwise 0.
inline constexpr double kNoBound = std::numeric_limits<double>::infinity();
Spelling SpellingOf(const Spelling& point, SeriesPart part, double bound);

class SeriesKeys {
 public:
  // About 50 bytes each. Beyond this, all are dropped, which costs only a new translation.
  static constexpr size_t kMaxSpellings = 500'000;

  void Put(const Spelling& spelling, const SeriesKey& key);
  // Null if unknown. Valid until the next Put().
  const SeriesKey* Find(const Spelling& spelling) const;
  // Prefetches what Find() needs into the CPU cache.
  void Prefetch(const Spelling& spelling) const { keys_.prefetch(spelling); }

 private:
  absl::flat_hash_map<Spelling, SeriesKey> keys_;
};

// Holds as many as there are concurrent requests; lends the most recently returned one first.
// Thread-safe.
class SeriesKeysPool {
 public:
  struct GiveBack {
    SeriesKeysPool* pool;
    void operator()(SeriesKeys* keys) const;
  };
  // Must not outlive the pool.
  using Loan = std::unique_ptr<SeriesKeys, GiveBack>;
  Loan Take();

 private:
  Mutex mutex_;
  std::vector<std::unique_ptr<SeriesKeys>> idle_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::otlp
