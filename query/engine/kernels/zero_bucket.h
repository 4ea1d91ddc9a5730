// The zero bucket of an exponential histogram when its threshold has to grow. Inside the kernels
// only.
#pragma once

#include "model/histogram.h"
#include "query/engine/kernels/histogram_row.h"

namespace lockstep::engine {

// Both sides of a histogram, of one exponential schema.
struct BucketRows {
  BucketRow positive;
  BucketRow negative;
};
BucketRows UnpackBoth(const Histogram& histogram);

// The smallest threshold that is at least `threshold` and inside no populated bucket of either
// side.
double ThresholdOutsideBuckets(const BucketRows& rows, int32_t schema, double threshold);

// Whether bucket `index` starts (towards zero) below the threshold, so that a zero bucket of that
// threshold takes it in.
bool BelongsToZeroBucket(int32_t index, int32_t schema, double threshold);

// What the zero bucket holds once its threshold is `threshold`, which ThresholdOutsideBuckets()
// gave.
double WidenedZeroCount(const BucketRows& rows, int32_t schema, double zero_count,
                        double threshold);

}  // namespace lockstep::engine
