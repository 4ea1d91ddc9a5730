// SeriesKeys: the series that points become, found by how the points are spelled in their request: what is sent
// again and again is translated once.
//
// A spelling stands for bytes as a SeriesKey stands for labels (model/series_key.h): nobody can send two that
// have the same. Not thread-safe; a SeriesKeysPool gives each request one of its own.
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
// Of `inner` inside of `outer`. Both are as good as random numbers, and so is this.
inline Spelling SpellingOf(const Spelling& outer, const Spelling& inner) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;  // of the golden ratio: any odd number does
  return {outer.high * kOdd + inner.high, outer.low * kOdd + inner.low};
}

// Which of a point's series: one is the point itself, a classic histogram has the others.
enum class SeriesPart : uint8_t { kWhole, kSum, kCount, kBucket };
// `bound` is that of a bucket, kNoBound for the last; else 0.
inline constexpr double kNoBound = std::numeric_limits<double>::infinity();
Spelling SpellingOf(const Spelling& point, SeriesPart part, double bound);

class SeriesKeys {
 public:
  // Some 50 bytes each. Above it all is forgotten: a request of new series costs translation, nothing else.
  static constexpr size_t kMaxSpellings = 500'000;

  void Put(const Spelling& spelling, const SeriesKey& key);
  // Null if it is not known. Lives until the next Put().
  const SeriesKey* Find(const Spelling& spelling) const;
  // Fetches into the processor's cache what Find() will need.
  void Prefetch(const Spelling& spelling) const { keys_.prefetch(spelling); }

 private:
  absl::flat_hash_map<Spelling, SeriesKey> keys_;
};

// As many as there are requests at once; the one given back last is lent next. Safe from any thread.
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
