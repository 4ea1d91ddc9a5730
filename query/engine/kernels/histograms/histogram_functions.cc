#include "query/engine/kernels/histograms/histogram_functions.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "query/engine/kernels/histograms/bucket_interpolation.h"
#include "query/engine/kernels/histograms/histogram_buckets.h"
#include "query/engine/kernels/numbers/constants.h"
#include "query/engine/kernels/numbers/kahan.h"

namespace lockstep::engine {
namespace {

// If there are buckets on one side only, the zero bucket is assumed to hold observations of that
// side.
void CutZeroBucketToItsSide(const Histogram& histogram, Bucket& bucket) {
  if (histogram.negative_counts.empty() && !histogram.positive_counts.empty()) {
    bucket.lower = 0;
  } else if (histogram.positive_counts.empty() && !histogram.negative_counts.empty()) {
    bucket.upper = 0;
  }
}

Interpolation InterpolationFor(const Histogram& histogram, const Bucket& bucket) {
  const bool holds_zero = bucket.lower <= 0 && bucket.upper >= 0;
  return histogram.uses_custom_buckets() || holds_zero ? Interpolation::kLinear
                                                       : Interpolation::kLogarithmic;
}

// Walks over the buckets from one end until it has passed `rank` observations.
struct RankedBucket {
  Bucket bucket;
  double count = 0;  // observations up to and including the bucket
};

RankedBucket FindRank(const std::vector<Bucket>& buckets, double rank) {
  RankedBucket found;
  for (const Bucket& bucket : buckets) {
    found.bucket = bucket;
    if (bucket.count == 0) continue;
    found.count += bucket.count;
    if (found.count >= rank) break;
  }
  return found;
}

double TotalCount(const std::vector<Bucket>& buckets) {
  double count = 0;
  for (const Bucket& bucket : buckets) count += bucket.count;
  return count;
}

// The edge of the bucket, if it is the quantile because the distribution in the bucket is unknown.
std::optional<double> EdgeOfOpenBucket(Bucket& bucket) {
  if (bucket.lower == -kInfinity) {
    if (bucket.upper <= 0) return bucket.upper;
    bucket.lower = 0;
  } else if (bucket.upper == kInfinity) {
    return bucket.lower;
  }
  return std::nullopt;
}

// The number of observations at or below `value`, which lies inside `bucket`; `rank` observations
// are below the bucket.
double RankInside(const Histogram& histogram, const Bucket& bucket, bool zero_bucket, double rank,
                  double value) {
  const bool linear = histogram.uses_custom_buckets() || zero_bucket;
  if (linear && bucket.lower == -kInfinity) return bucket.count;
  const auto interpolation = linear ? Interpolation::kLinear : Interpolation::kLogarithmic;
  return rank + bucket.count * FractionBelow(bucket, value, interpolation);
}

// Finds the rank of one bound of a fraction, bucket by bucket in ascending order.
class BoundRank {
 public:
  BoundRank(const Histogram& histogram, double bound) : histogram_(histogram), bound_(bound) {}

  bool known() const { return known_; }
  void Visit(const Bucket& bucket, bool zero_bucket, double rank_before) {
    if (known_) return;
    known_ = bucket.lower >= bound_ || bucket.upper > bound_;
    if (bucket.lower >= bound_) {
      rank_ = rank_before;
    } else if (known_) {
      rank_ = RankInside(histogram_, bucket, zero_bucket, rank_before, bound_);
    }
  }
  double Get(double count) const { return known_ && !(rank_ > count) ? rank_ : count; }

 private:
  const Histogram& histogram_;
  const double bound_;
  bool known_ = false;
  double rank_ = 0;
};

}  // namespace

double HistogramAverage(const Histogram& histogram) { return histogram.sum / histogram.count; }

double HistogramVariance(const Histogram& histogram) {
  const double mean = HistogramAverage(histogram);
  KahanSum squares;
  for (const Bucket& bucket : AllBuckets(histogram)) {
    if (bucket.count == 0) continue;
    double value = 0;
    if (histogram.uses_custom_buckets()) {
      value = (bucket.upper + bucket.lower) / 2;
    } else if (bucket.lower > 0 || bucket.upper < 0) {
      value = std::copysign(std::sqrt(bucket.upper * bucket.lower), bucket.upper);
    }
    const double delta = value - mean;
    squares.Add(bucket.count * delta * delta);
  }
  return squares.Total() / histogram.count;
}

double HistogramStddev(const Histogram& histogram) {
  return std::sqrt(HistogramVariance(histogram));
}

double HistogramQuantile(double q, const Histogram& histogram, AnnotationSink& sink) {
  if (q < 0) return -kInfinity;
  if (q > 1) return kInfinity;
  if (histogram.count == 0 || std::isnan(q)) return kNan;

  // NaN observations are in `count` but in no bucket, as if they were above all others: then the
  // walk must start from below. Otherwise it starts at the nearer end.
  const bool may_hold_nan = std::isnan(histogram.sum);
  const bool from_below = may_hold_nan || q < 0.5;
  std::vector<Bucket> buckets = AllBuckets(histogram);
  if (!from_below) std::reverse(buckets.begin(), buckets.end());
  double rank = (from_below ? q : 1 - q) * histogram.count;
  auto [bucket, count] = FindRank(buckets, rank);

  if (histogram.uses_custom_buckets()) {
    if (const std::optional<double> edge = EdgeOfOpenBucket(bucket)) return *edge;
  } else if (bucket.lower < 0 && bucket.upper > 0) {
    CutZeroBucketToItsSide(histogram, bucket);
  }
  count = std::min(count, histogram.count);
  if (count < rank) {
    if (!may_hold_nan) return bucket.upper;
    sink.Add(AnnotationKind::kQuantileNanResult);
    return kNan;
  }
  rank = from_below ? rank - (count - bucket.count) : count - rank;
  if (may_hold_nan && TotalCount(buckets) < histogram.count) {
    sink.Add(AnnotationKind::kQuantileNanSkew);
  }
  return ValueAt(bucket, rank / bucket.count, InterpolationFor(histogram, bucket));
}

double HistogramFraction(double lower, double upper, const Histogram& histogram,
                         AnnotationSink& sink) {
  if (histogram.count == 0 || std::isnan(lower) || std::isnan(upper)) return kNan;
  if (lower >= upper) return 0;

  const std::vector<Bucket> buckets = AllBuckets(histogram);
  BoundRank lower_rank(histogram, lower);
  BoundRank upper_rank(histogram, upper);
  double rank = 0;
  for (Bucket bucket : buckets) {
    const bool zero_bucket = bucket.lower <= 0 && bucket.upper >= 0;
    if (zero_bucket) CutZeroBucketToItsSide(histogram, bucket);
    lower_rank.Visit(bucket, zero_bucket, rank);
    upper_rank.Visit(bucket, zero_bucket, rank);
    if (lower_rank.known() && upper_rank.known()) break;
    rank += bucket.count;
  }
  double count = histogram.count;
  if (std::isnan(histogram.sum)) {
    count = TotalCount(buckets);
    if (count < histogram.count) sink.Add(AnnotationKind::kFractionNanObservations);
  }
  return (upper_rank.Get(count) - lower_rank.Get(count)) / histogram.count;
}

}  // namespace lockstep::engine
