// Interpolation within a bucket: from a value to its position and back. Only for the kernels.
#pragma once

#include <cmath>

#include "query/engine/kernels/histograms/histogram_buckets.h"

namespace lockstep::engine {

// Observations are assumed to be spread evenly on a logarithmic scale in exponential buckets, and
// on a linear scale in custom buckets and the zero bucket.
enum class Interpolation { kLinear, kLogarithmic };

// The share of the bucket's width at or below `value`. Precondition: the bounds are finite and
// `value` is between them.
inline double FractionBelow(const Bucket& bucket, double value, Interpolation interpolation) {
  if (interpolation == Interpolation::kLinear) {
    return (value - bucket.lower) / (bucket.upper - bucket.lower);
  }
  const double log_lower = std::log2(std::fabs(bucket.lower));
  const double log_upper = std::log2(std::fabs(bucket.upper));
  const double log_value = std::log2(std::fabs(value));
  if (value > 0) return (log_value - log_lower) / (log_upper - log_lower);
  return 1 - (log_value - log_upper) / (log_lower - log_upper);
}

// The inverse of FractionBelow().
inline double ValueAt(const Bucket& bucket, double fraction, Interpolation interpolation) {
  if (interpolation == Interpolation::kLinear) {
    return bucket.lower + (bucket.upper - bucket.lower) * fraction;
  }
  const double log_lower = std::log2(std::fabs(bucket.lower));
  const double log_upper = std::log2(std::fabs(bucket.upper));
  if (bucket.lower > 0) return std::exp2(log_lower + (log_upper - log_lower) * fraction);
  return -std::exp2(log_upper + (log_lower - log_upper) * (1 - fraction));
}

}  // namespace lockstep::engine
