// Quantiles and fractions of a classic histogram: cumulative counts by upper bound (label `le`).
// Source: prometheus/prometheus, promql/quantile.go (bucketQuantile, bucketFraction).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "query/engine/kernels/annotation.h"

namespace lockstep::engine {

struct ClassicBucket {
  double upper_bound = 0;
  double count = 0;  // observations <= upper_bound
};

// The bound that a value of the label `le` names; nothing if it names none.
std::optional<double> ParseBucketBound(std::string_view le);

struct ClassicQuantile {
  double value = 0;
  // Set when counts fell from one bucket to the next. Its times are the caller's to fill in.
  std::optional<MonotonicityFix> fix;
};

// Both sort `buckets` and add up equal bounds in place; the quantile also evens out relative
// differences under 1e-12 between neighbours and lifts falling counts. NaN without a bucket at +Inf
// or without observations, for the quantile also with fewer than two buckets. Precondition: not
// empty.
ClassicQuantile BucketQuantile(double q, std::vector<ClassicBucket>& buckets);
double BucketFraction(double lower, double upper, std::vector<ClassicBucket>& buckets);

}  // namespace lockstep::engine
