// DeltaTotals: the totals of all series that senders report as deltas. In memory: after a restart they begin anew, with
// the start of the first delta that comes then, which is a reset of a counter like any other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "base/mutex.h"
#include "ingest/otlp/delta_total.h"
#include "model/series_key.h"

namespace lockstep::otlp {

// Safe from any thread. Of two requests with the same series at once, one wins.
class DeltaTotals {
 public:
  static constexpr size_t kMaxSeries = 1'000'000;

  explicit DeltaTotals(size_t max_series = kMaxSeries) : max_series_(max_series) {}

  // The changes of one request, which nobody else sees until they are committed: a request that is read twice, or
  // not to its end, adds nothing twice. Not thread-safe; must not outlive the totals.
  class Change {
   public:
    explicit Change(DeltaTotals& totals) : totals_(totals) {}

    // Lives until the next call.
    DeltaTotal& Of(const SeriesKey& series);
    void Commit();

   private:
    DeltaTotals& totals_;
    absl::flat_hash_map<SeriesKey, DeltaTotal> changed_;
  };

  size_t size() const;

 private:
  void MakeRoom(size_t count) LOCKSTEP_REQUIRES(mutex_);

  const size_t max_series_;
  mutable Mutex mutex_;
  absl::flat_hash_map<SeriesKey, DeltaTotal> totals_ LOCKSTEP_GUARDED_BY(mutex_);
};

}  // namespace lockstep::otlp
