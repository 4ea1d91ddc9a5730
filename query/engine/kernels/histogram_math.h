// Arithmetic on native histograms.
//
// Histograms of different schema, zero threshold or custom bounds are reconciled: to the coarser
// schema, the wider zero bucket, the bounds that both have. Exponential and custom buckets do not
// mix; callers ask SameBucketFamily() first. Source: prometheus/prometheus,
// model/histogram/float_histogram.go.
#pragma once

#include <cstdint>

#include "model/histogram.h"

namespace lockstep::engine {

// Both exponential, or both with custom buckets.
bool SameBucketFamily(const Histogram& a, const Histogram& b);

struct MergeNotes {
  bool conflicting_resets = false;  // one operand's hint says reset, the other's no reset
  bool bounds_reconciled = false;   // custom bounds differed and were cut to the common ones
};

// a += b, a -= b, with the reset hint that results. The result may hold empty buckets; see
// Compact(). Precondition: SameBucketFamily(a, b).
MergeNotes Add(Histogram& a, const Histogram& b);
MergeNotes Subtract(Histogram& a, const Histogram& b);

// All counts and the sum times `factor` / over `divisor`. A negative factor or divisor makes a
// gauge. Division by 0 drops all buckets.
void Scale(Histogram& histogram, double factor);
void Divide(Histogram& histogram, double divisor);

// PromQL's `==`: schema, thresholds, counts, sum, custom bounds and bucket layout, empty buckets
// included; hints do not count. Bits of NaN are compared.
bool HistogramsEqual(const Histogram& a, const Histogram& b);

// Drops empty buckets and merges touching spans.
void Compact(Histogram& histogram);

// A copy at `schema`, which must not be finer than the histogram's own. Exponential schemas only.
Histogram ReduceSchema(const Histogram& histogram, int32_t schema);

// Whether a counter restarted between `previous` and `current`: by current's hint when it says so,
// else when count, zero count or a bucket fell, a populated bucket vanished, the schema grew finer,
// the zero threshold shrank, the custom bounds changed or the bucket family changed.
bool DetectReset(const Histogram& current, const Histogram& previous);

// `h </ limit` and `h >/ limit`: keeps the observations below / above. Inside the bucket of `limit`
// counts are interpolated (linearly for custom and zero buckets, else logarithmically), a bucket
// with an infinite edge is kept or removed whole, and the sum is estimated from bucket mid-points.
Histogram TrimUpper(const Histogram& histogram, double limit);
Histogram TrimLower(const Histogram& histogram, double limit);

// Whether a stale marker in histogram form: the sum is the stale NaN.
bool IsStaleMarker(const Histogram& histogram);

}  // namespace lockstep::engine
