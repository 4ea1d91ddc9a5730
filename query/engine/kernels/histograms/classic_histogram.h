// Quantiles and fractions of a classic histogram: cumulative counts by upper bound (label `le`).
// Source: prometheus/prometheus, promql/quantile.go (bucketQuantile, bucketFraction).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "query/engine/kernels/text/annotation.h"

namespace lockstep::engine {

struct ClassicBucket {
  double upper_bound = 0;
  double count = 0;  // observations <= upper_bound
};

// The bound in a value of the label `le`; empty if it is invalid. Like Go's strconv.ParseFloat:
// decimal, or hexadecimal with a binary exponent; "inf", "infinity" and "nan" in any case; at most
// one sign; the whole text. Overflow is an error, underflow is 0.
std::optional<double> ParseBucketBound(std::string_view text);

struct ClassicQuantile {
  double value = 0;
  // Set if counts decreased from one bucket to the next. The caller fills in its times.
  std::optional<MonotonicityFix> fix;
};

// Both functions sort `buckets` and merge equal bounds in place; the quantile also removes relative
// differences under 1e-12 between neighbours and raises decreasing counts. Return NaN without a
// bucket at +Inf or without observations, and the quantile also with fewer than two buckets.
// Precondition: `buckets` is not empty.
ClassicQuantile BucketQuantile(double q, std::vector<ClassicBucket>& buckets);
double BucketFraction(double lower, double upper, std::vector<ClassicBucket>& buckets);

}  // namespace lockstep::engine
