// Buckets of a native histogram, one by one: index, bounds, count.
//
// Exponential: bucket `index` of schema s covers (base^(index-1), base^index], base = 2^(2^-s),
// mirrored on the negative side; the zero bucket covers [-zero_threshold, zero_threshold]. Custom:
// bucket `index` covers (custom_values[index-1], custom_values[index]], from -Inf and to +Inf at
// the ends.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/histogram.h"

namespace lockstep::engine {

struct Bucket {
  double lower = 0;
  double upper = 0;
  bool lower_inclusive = false;
  bool upper_inclusive = false;
  double count = 0;
  int32_t index = 0;  // 0 for the zero bucket
};

// The upper bound of bucket `index`; `custom_values` is used only for the custom schema.
double BucketUpperBound(int32_t index, int32_t schema, std::span<const double> custom_values);

// Positive buckets in ascending order; negative ones in descending order (from 0 outwards).
// Includes empty buckets inside spans.
std::vector<Bucket> PositiveBuckets(const Histogram& histogram);
std::vector<Bucket> NegativeBuckets(const Histogram& histogram);
Bucket ZeroBucket(const Histogram& histogram);

// All buckets in ascending order: negative, zero (if its count is above 0), positive. A bucket that
// overlaps the zero bucket is clipped at the zero threshold.
std::vector<Bucket> AllBuckets(const Histogram& histogram);

// The buckets in the HTTP API: AllBuckets() without empty ones, with a number for which ends are
// inclusive: 0 (lower,upper]; 1 [lower,upper); 2 (lower,upper); 3 [lower,upper].
struct ListedBucket {
  int boundary_rule = 0;
  double lower = 0;
  double upper = 0;
  double count = 0;
};
std::vector<ListedBucket> ListBuckets(const Histogram& histogram);

// {count:12, sum:18.4, (0.5,1]:2, ...}: the label value that count_values makes for a histogram.
std::string HistogramText(const Histogram& histogram);

}  // namespace lockstep::engine
