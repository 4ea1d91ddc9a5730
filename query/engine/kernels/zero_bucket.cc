#include "query/engine/kernels/zero_bucket.h"

#include "query/engine/kernels/histogram_buckets.h"
#include "query/engine/kernels/kahan.h"

namespace lockstep::engine {
namespace {

// The outer bound of the populated bucket that `threshold` lies strictly inside, else `threshold`.
double MoveOut(const BucketRow& row, int32_t schema, double threshold) {
  for (const IndexedCount& bucket : row) {
    if (!BelongsToZeroBucket(bucket.index, schema, threshold)) break;
    const double outer = BucketUpperBound(bucket.index, schema, {});
    if (outer > threshold && bucket.count != 0) return outer;
  }
  return threshold;
}

void AddBelow(const BucketRow& row, int32_t schema, double threshold, KahanSum& sum) {
  for (const IndexedCount& bucket : row) {
    if (!BelongsToZeroBucket(bucket.index, schema, threshold)) break;
    sum.Add(bucket.count);
  }
}

}  // namespace

BucketRows UnpackBoth(const Histogram& histogram) {
  return {Unpack(histogram.positive_spans, histogram.positive_counts),
          Unpack(histogram.negative_spans, histogram.negative_counts)};
}

double ThresholdOutsideBuckets(const BucketRows& rows, int32_t schema, double threshold) {
  // Moving out of a bucket of one side may move into one of the other side.
  while (true) {
    const double moved = MoveOut(rows.negative, schema, MoveOut(rows.positive, schema, threshold));
    if (moved == threshold) return threshold;
    threshold = moved;
  }
}

bool BelongsToZeroBucket(int32_t index, int32_t schema, double threshold) {
  return BucketUpperBound(static_cast<int32_t>(int64_t{index} - 1), schema, {}) < threshold;
}

double WidenedZeroCount(const BucketRows& rows, int32_t schema, double zero_count,
                        double threshold) {
  KahanSum sum{zero_count, 0};
  AddBelow(rows.positive, schema, threshold, sum);
  AddBelow(rows.negative, schema, threshold, sum);
  return sum.Total();
}

}  // namespace lockstep::engine
