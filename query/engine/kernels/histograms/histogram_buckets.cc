#include "query/engine/kernels/histograms/histogram_buckets.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/text/float_format.h"
#include "query/engine/kernels/histograms/histogram_row.h"
#include "query/engine/kernels/numbers/constants.h"

namespace lockstep::engine {
namespace {

// The bounds of the finest schema in [0.5, 1). They are computed like Prometheus' table, from
// 2^(2^-schema), so that bounds print with the same digits although some differ from the nearest
// double. A coarser schema has every second bound of the next finer one.
using BoundTable = std::array<double, 1 << kMaxExponentialSchema>;

BoundTable MakeBounds() {
  constexpr std::array<double, kMaxExponentialSchema> kFactors = {
      0x1.6a09e667f3bccp+00, 0x1.306fe0a31b715p+00, 0x1.172b83c7d517bp+00, 0x1.0b5586cf9890fp+00,
      0x1.059b0d3158574p+00, 0x1.02c9a3e778061p+00, 0x1.0163da9fb3335p+00, 0x1.00b1afa5abcbfp+00};
  BoundTable bounds{};
  bounds[0] = 0.5;
  size_t stride = bounds.size();
  for (const double factor : kFactors) {
    stride /= 2;
    for (size_t i = stride; i < bounds.size(); i += 2 * stride) {
      bounds[i] = bounds[i - stride] * factor;
    }
  }
  return bounds;
}

// fraction * 2^exponent, for any exponent that an external index may lead to.
double Scaled(double fraction, int64_t exponent) {
  return std::ldexp(fraction, static_cast<int>(std::clamp<int64_t>(exponent, -5000, 5000)));
}

double ExponentialBound(int32_t index, int32_t schema) {
  constexpr double kMax = std::numeric_limits<double>::max();
  // 2^1024 is not a double; observations up to the largest double belong to the bucket that would
  // end there, infinite ones to the next.
  if (schema < 0) {
    const int64_t exponent = static_cast<int64_t>(index) * (int64_t{1} << -schema);
    if (exponent == 1024) return kMax;
    return Scaled(1.0, exponent);
  }
  static const BoundTable bounds = MakeBounds();
  const int32_t place = index & ((1 << schema) - 1);
  const double fraction = bounds[static_cast<size_t>(place) << (kMaxExponentialSchema - schema)];
  const int64_t exponent = static_cast<int64_t>(index >> schema) + 1;
  if (place == 0 && exponent == 1025) return kMax;
  return Scaled(fraction, exponent);
}

double CustomBound(int32_t index, std::span<const double> custom_values) {
  if (index < 0) return -kInfinity;
  if (static_cast<size_t>(index) >= custom_values.size()) return kInfinity;
  return custom_values[static_cast<size_t>(index)];
}

enum class Side { kPositive, kNegative };

Bucket MakeBucket(const Histogram& histogram, const IndexedCount& counted, Side side) {
  const double outer = BucketUpperBound(counted.index, histogram.schema, histogram.custom_values);
  const auto before = static_cast<int32_t>(int64_t{counted.index} - 1);
  const double inner = BucketUpperBound(before, histogram.schema, histogram.custom_values);
  Bucket bucket;
  bucket.lower = side == Side::kPositive ? inner : -outer;
  bucket.upper = side == Side::kPositive ? outer : -inner;
  bucket.count = counted.count;
  bucket.index = counted.index;
  if (histogram.uses_custom_buckets()) {
    bucket.lower_inclusive = counted.index == 0;
    bucket.upper_inclusive = true;
  } else {
    bucket.lower_inclusive = bucket.lower < 0;
    bucket.upper_inclusive = bucket.upper > 0;
  }
  return bucket;
}

std::vector<Bucket> MakeBuckets(const Histogram& histogram, const BucketRow& row, Side side) {
  std::vector<Bucket> buckets;
  buckets.reserve(row.size());
  for (const IndexedCount& counted : row) buckets.push_back(MakeBucket(histogram, counted, side));
  return buckets;
}

// Clips a bucket that overlaps the zero bucket.
Bucket ClipAtZeroBucket(Bucket bucket, double zero_threshold) {
  if (bucket.upper < 0 && bucket.upper > -zero_threshold) bucket.upper = -zero_threshold;
  if (bucket.lower > 0 && bucket.lower < zero_threshold) bucket.lower = zero_threshold;
  return bucket;
}

void AppendBucketText(std::string& out, const Bucket& bucket) {
  out += bucket.lower_inclusive ? ", [" : ", (";
  AppendShortValue(out, bucket.lower);
  out += ',';
  AppendShortValue(out, bucket.upper);
  out += bucket.upper_inclusive ? "]:" : "):";
  AppendShortValue(out, bucket.count);
}

}  // namespace

double BucketUpperBound(int32_t index, int32_t schema, std::span<const double> custom_values) {
  return schema == kCustomBucketsSchema ? CustomBound(index, custom_values)
                                        : ExponentialBound(index, schema);
}

std::vector<Bucket> PositiveBuckets(const Histogram& histogram) {
  return MakeBuckets(histogram, Unpack(histogram.positive_spans, histogram.positive_counts),
                     Side::kPositive);
}

std::vector<Bucket> NegativeBuckets(const Histogram& histogram) {
  return MakeBuckets(histogram, Unpack(histogram.negative_spans, histogram.negative_counts),
                     Side::kNegative);
}

Bucket ZeroBucket(const Histogram& histogram) {
  return {.lower = -histogram.zero_threshold,
          .upper = histogram.zero_threshold,
          .lower_inclusive = true,
          .upper_inclusive = true,
          .count = histogram.zero_count};
}

std::vector<Bucket> AllBuckets(const Histogram& histogram) {
  std::vector<Bucket> all = NegativeBuckets(histogram);
  std::reverse(all.begin(), all.end());
  const size_t zero_at = all.size();
  if (histogram.zero_count > 0) all.push_back(ZeroBucket(histogram));
  for (const Bucket& bucket : PositiveBuckets(histogram)) all.push_back(bucket);
  for (size_t i = 0; i < all.size(); ++i) {
    if (i == zero_at && histogram.zero_count > 0) continue;
    all[i] = ClipAtZeroBucket(all[i], histogram.zero_threshold);
  }
  return all;
}

std::vector<ListedBucket> ListBuckets(const Histogram& histogram) {
  std::vector<ListedBucket> listed;
  for (const Bucket& bucket : AllBuckets(histogram)) {
    if (bucket.count == 0) continue;
    int rule = 2;
    if (bucket.lower_inclusive) {
      rule = bucket.upper_inclusive ? 3 : 1;
    } else if (bucket.upper_inclusive) {
      rule = 0;
    }
    listed.push_back({rule, bucket.lower, bucket.upper, bucket.count});
  }
  return listed;
}

std::string HistogramText(const Histogram& histogram) {
  std::string out = "{count:";
  AppendShortValue(out, histogram.count);
  out += ", sum:";
  AppendShortValue(out, histogram.sum);
  std::vector<Bucket> buckets = NegativeBuckets(histogram);
  std::reverse(buckets.begin(), buckets.end());
  if (histogram.zero_count != 0) buckets.push_back(ZeroBucket(histogram));
  for (const Bucket& bucket : PositiveBuckets(histogram)) buckets.push_back(bucket);
  for (const Bucket& bucket : buckets) {
    if (bucket.count != 0) AppendBucketText(out, bucket);
  }
  out += '}';
  return out;
}

}  // namespace lockstep::engine
