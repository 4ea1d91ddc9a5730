// SeriesRollup: aggregates of one series in one window of the store over buckets of five minutes.
//
//   window     |begin                                                            end|
//   buckets    0|        1        |        2        |   ...    |        48         |
//              ^ the window's border belongs to the bucket that ends there: (begin - 5 min, begin]
//
// Buckets are left-open, like the ranges of PromQL: bucket k ends at begin + k * 5 min and includes
// the sample at that time. So the first bucket of a window has only the samples of the window's
// first millisecond, and the last one lacks those after the window; the rest of both buckets is in
// the neighbouring windows.
//
// Everything here is exact: samples as they were written, found by comparison, never computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/sample.h"
#include "storage/query.h"

namespace lockstep {

inline constexpr char kRollupRowVersion = 1;
inline constexpr int64_t kRollupWindowMs = int64_t{4} * 60 * 60 * 1000;
inline constexpr uint32_t kRollupBuckets = kRollupWindowMs / kThinningBucketMs + 1;
static_assert(kRollupBuckets <= 64, "buckets are bits of a word");

// Which buckets have samples, how many, and when. Series that are scraped together share it.
struct BucketTimes {
  uint64_t buckets = 0;  // bit k: bucket k has samples
  // For each bucket that has samples, in order:
  std::vector<int64_t> counts;
  std::vector<int64_t> firsts;  // from the first sample to the bucket's end, in ms
  std::vector<int64_t> lasts;   // from the last one

  size_t size() const { return counts.size(); }
  void Clear();
  friend bool operator==(const BucketTimes&, const BucketTimes&) = default;
};

struct SeriesRollup {
  BucketTimes times;
  // Values of the same buckets. Among equal lowest or highest values (0 and -0 are equal), the
  // first.
  std::vector<double> lows;
  std::vector<double> highs;
  std::vector<double> lasts;  // empty if `ascends`
  // In every bucket no sample is below the one before it: then the first sample of each bucket is
  // its lowest and the last is its highest, to the bit.
  bool ascends = true;

  void Clear();
};

// Replaces `rollup`. Stale markers are left out, as in every range. Returns false if the samples
// cannot be rolled up: there are histograms or NaNs, or some lie outside the window that begins at
// `begin_ms`.
[[nodiscard]] bool RollUp(const SampleColumns& columns, int64_t begin_ms, SeriesRollup& rollup);

// The bucket within its window. Precondition: the time lies in the window.
inline uint32_t BucketOf(int64_t time_ms, int64_t begin_ms) {
  return static_cast<uint32_t>((time_ms - begin_ms + kThinningBucketMs - 1) / kThinningBucketMs);
}

}  // namespace lockstep
