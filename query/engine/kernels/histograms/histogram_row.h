// BucketRow: one side of a native histogram as (index, count) pairs, which are easier to compute
// with than spans. BucketRows: both sides, whose innermost buckets the zero bucket may absorb. Only
// for the kernels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/histogram.h"
#include "query/engine/kernels/numbers/kahan.h"

namespace lockstep::engine {

struct IndexedCount {
  int32_t index = 0;
  double count = 0;
};

// Indices are ascending and unique. May have empty buckets.
using BucketRow = std::vector<IndexedCount>;

BucketRow Unpack(std::span<const BucketSpan> spans, std::span<const double> counts);
void Pack(const BucketRow& row, std::vector<BucketSpan>& spans, std::vector<double>& counts);

// The bucket of a coarser schema that contains bucket `index`. Precondition: to_schema <=
// from_schema.
inline int32_t IndexInSchema(int32_t index, int32_t from_schema, int32_t to_schema) {
  return static_cast<int32_t>(((int64_t{index} - 1) >> (from_schema - to_schema)) + 1);
}

// The row at a coarser schema. Same precondition.
BucketRow ReduceRow(const BucketRow& row, int32_t from_schema, int32_t to_schema);

// The bounds in both lists, which must be ascending.
std::vector<double> CommonBounds(std::span<const double> a, std::span<const double> b);

// For each bucket of `from` (the last one ends at +Inf), the bucket of `to` that contains it.
// Precondition: `to` is a subset of `from`.
std::vector<int32_t> MapBounds(std::span<const double> from, std::span<const double> to);

// Both sides of a histogram in one exponential schema.
struct BucketRows {
  BucketRow positive;
  BucketRow negative;
};
BucketRows UnpackBoth(const Histogram& histogram);

// The smallest threshold that is at least `threshold` and not inside a populated bucket of either
// side.
double ThresholdOutsideBuckets(const BucketRows& rows, int32_t schema, double threshold);

// Whether bucket `index` starts (towards zero) below the threshold, so that the zero bucket
// includes it.
bool BelongsToZeroBucket(int32_t index, int32_t schema, double threshold);

// The zero count after widening to `threshold`, which must come from ThresholdOutsideBuckets().
KahanSum WidenedZeroCount(const BucketRows& rows, int32_t schema, double zero_count,
                          double threshold);

}  // namespace lockstep::engine
