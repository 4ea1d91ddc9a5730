// SeriesRollup: one series in one window of the store, summed up by buckets of five minutes.
//
//   window     |begin                                                            end|
//   buckets    0|        1        |        2        |   ...    |        48         |
//              ^ the border of the window belongs to the bucket that ends there: (begin - 5 min, begin]
//
// Buckets are left-open, as the ranges of PromQL are: bucket k ends at begin + k * 5 min and has the sample
// of that time. So the first bucket of a window has what lies at its first millisecond, and the last
// lacks what lies behind the window; the rest of both is in the windows beside it.
//
// Only what is exact is here: samples as they were written, found by comparing, never computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/sample.h"
#include "storage/storage.h"

namespace lockstep {

inline constexpr char kRollupRowVersion = 1;
inline constexpr int64_t kRollupWindowMs = int64_t{4} * 60 * 60 * 1000;
inline constexpr uint32_t kRollupBuckets = kRollupWindowMs / kThinningBucketMs + 1;
static_assert(kRollupBuckets <= 64, "buckets are bits of a word");

// Which buckets have samples, how many, and when. Series that are scraped together share it.
struct BucketTimes {
  uint64_t buckets = 0;  // bit k: bucket k has samples
  // Of each bucket that has some, in order:
  std::vector<int64_t> counts;
  std::vector<int64_t> firsts;  // from the first sample to the bucket's end, in ms
  std::vector<int64_t> lasts;   // from the last one

  size_t size() const { return counts.size(); }
  void Clear();
  friend bool operator==(const BucketTimes&, const BucketTimes&) = default;
};

struct SeriesRollup {
  BucketTimes times;
  // Values of the same buckets. Of equal lowest or highest values (0 and -0 are) the first.
  std::vector<double> lows;
  std::vector<double> highs;
  std::vector<double> lasts;  // empty if `ascends`
  // No sample of any bucket is below the one before it in the bucket: then the first sample of each is its
  // lowest and the last is its highest, to the bit.
  bool ascends = true;

  void Clear();
};

// Replaces `rollup`. Stale markers are left out, as every range does. False if the samples cannot be
// summed up: there are histograms or NaNs, or some lie outside the window that begins at `begin_ms`.
[[nodiscard]] bool RollUp(const SampleColumns& columns, int64_t begin_ms, SeriesRollup& rollup);

// Of a window; precondition: the time lies in it.
inline uint32_t BucketOf(int64_t time_ms, int64_t begin_ms) {
  return static_cast<uint32_t>((time_ms - begin_ms + kThinningBucketMs - 1) / kThinningBucketMs);
}

}  // namespace lockstep
