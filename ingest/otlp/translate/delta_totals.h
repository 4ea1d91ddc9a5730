// DeltaTotals: the running totals of all series that senders report as deltas. In memory: after a
// restart, totals restart at the first new delta's start, which looks like any counter reset.
//
// A delta that cannot be added, such as a histogram with other bounds or a point of another kind,
// restarts its series' total with its own start time. Source: OpenTelemetry, "Metrics Data Model",
// "Sums: Delta-to-Cumulative"; "Exponential Histograms: Merging".
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "base/mutex.h"
#include "base/status.h"
#include "ingest/otlp/points/metric_points.h"
#include "model/series_key.h"

namespace lockstep::otlp {

// An exponential histogram with more buckets on one side is downscaled, as SDKs do.
inline constexpr int64_t kMaxTotalBuckets = 160;

// The running total of one series' deltas.
struct DeltaTotal {
  uint64_t start_ns = 0;  // of the first delta
  uint64_t time_ns = 0;   // of the last delta
  std::variant<double, HistogramValue, ExponentialHistogramValue> value = 0.0;
};

// Adds the point to its series' total if it is later than the last one, and makes it cumulative: it
// gets the total's value and start. A repetition of the last point, from a resent request, gets the
// total without being added. kInvalidArgument, with one clause, if it is earlier.
absl::Status AddUp(NumberPoint& point, DeltaTotal& total);
absl::Status AddUp(HistogramPoint& point, DeltaTotal& total);
absl::Status AddUp(ExponentialHistogramPoint& point, DeltaTotal& total);

// Thread-safe. If two concurrent requests update the same series, one wins.
class DeltaTotals {
 public:
  static constexpr size_t kMaxSeries = 1'000'000;

  explicit DeltaTotals(size_t max_series = kMaxSeries) : max_series_(max_series) {}

  // The changes of one request, invisible to others until committed, so that a request decoded
  // twice or only in part adds nothing twice. Not thread-safe; must not outlive the totals.
  class Change {
   public:
    explicit Change(DeltaTotals& totals) : totals_(totals) {}

    // Valid until the next call.
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
