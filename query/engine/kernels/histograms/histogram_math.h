// Arithmetic on native histograms.
//
// Histograms with different schemas, zero thresholds or custom bounds are reconciled: to the
// coarser schema, the wider zero bucket, and the common bounds. Exponential and custom buckets
// cannot be mixed; callers check SameBucketFamily() first. Source: prometheus/prometheus,
// model/histogram/float_histogram.go.
#pragma once

#include <cstdint>

#include "model/histogram.h"

namespace lockstep::engine {

// Whether both have exponential or both have custom buckets.
bool SameBucketFamily(const Histogram& a, const Histogram& b);

struct MergeNotes {
  bool conflicting_resets = false;  // one operand's hint says reset, the other's no reset
  bool bounds_reconciled = false;   // custom bounds differed and were reduced to the common ones
};

// a += b and a -= b, with the resulting reset hint. The result may have empty buckets; see
// Compact(). Precondition: SameBucketFamily(a, b).
MergeNotes Add(Histogram& a, const Histogram& b);
MergeNotes Subtract(Histogram& a, const Histogram& b);

// Multiply or divide all counts and the sum. A negative factor or divisor makes a gauge. Division
// by 0 drops all buckets.
void Scale(Histogram& histogram, double factor);
void Divide(Histogram& histogram, double divisor);

// PromQL's `==`: compares schema, thresholds, counts, sum, custom bounds and bucket layout,
// including empty buckets and the bits of NaN; ignores hints.
bool HistogramsEqual(const Histogram& a, const Histogram& b);

// Drops empty buckets and merges touching spans.
void Compact(Histogram& histogram);

// A copy at `schema`, which must not be finer than the histogram's own. For exponential schemas
// only.
Histogram ReduceSchema(const Histogram& histogram, int32_t schema);

// Whether a counter was reset between `previous` and `current`: by the hint of `current` if it is
// known, otherwise if the count, the zero count or a bucket decreased, a populated bucket vanished,
// the schema became finer, the zero threshold shrank, or the custom bounds or the bucket family
// changed.
bool DetectReset(const Histogram& current, const Histogram& previous);

// `h </ limit` and `h >/ limit`: keep the observations below or above the limit. Interpolate counts
// inside the bucket of `limit` (linearly for custom and zero buckets, otherwise logarithmically),
// keep or remove a bucket with an infinite edge as a whole, and estimate the sum from bucket
// midpoints.
Histogram TrimUpper(const Histogram& histogram, double limit);
Histogram TrimLower(const Histogram& histogram, double limit);

// Whether this is a stale marker in histogram form, with the stale NaN as its sum.
bool IsStaleMarker(const Histogram& histogram);

}  // namespace lockstep::engine
