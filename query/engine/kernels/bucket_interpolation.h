// Where in a bucket a value lies, and which value lies at a place of it. Inside the kernels only.
#pragma once

#include <cmath>

#include "query/engine/kernels/histogram_buckets.h"

namespace lockstep::engine {

// Exponential buckets are taken to be filled evenly on a logarithmic scale; custom buckets and the
// zero bucket on a linear one.
enum class Interpolation { kLinear, kLogarithmic };

// The share of the bucket's width at or below `value`. Precondition: bounds finite, value between
// them.
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

// The inverse: the value below which `fraction` of the bucket lies.
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
