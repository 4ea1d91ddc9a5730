// PromQL's `</` and `>/` on native histograms.
#include <algorithm>
#include <cmath>
#include <limits>

#include "query/engine/kernels/histograms/bucket_interpolation.h"
#include "query/engine/kernels/histograms/histogram_buckets.h"
#include "query/engine/kernels/histograms/histogram_math.h"

namespace lockstep::engine {
namespace {

enum class Keep { kBelow, kAbove };

// The rest of a bucket, and the value that represents each of its observations.
struct Rest {
  double count = 0;
  double midpoint = 0;
};

double FiniteOrZero(double value) { return std::isinf(value) ? 0 : value; }

// The midpoint of [lower, upper]: arithmetic, or geometric with the sign of the side.
double Midpoint(double lower, double upper, Interpolation interpolation) {
  if (std::isinf(lower)) {
    if (std::isinf(upper)) return 0;
    return upper > 0 ? upper / 2 : upper;
  }
  if (std::isinf(upper)) return lower;
  if (interpolation == Interpolation::kLinear) return (lower + upper) / 2;
  const double middle = std::sqrt(std::fabs(lower * upper));
  return upper <= 0 ? -middle : middle;
}

// A custom bucket that starts at -Inf. The distribution of its observations is unknown, except that
// they are assumed to be above 0 if its upper bound is.
Rest RestOfLowestBucket(const Bucket& bucket, double limit, Keep keep) {
  const bool from_zero = bucket.upper > 0 && !std::isinf(bucket.upper);
  if (keep == Keep::kBelow) {
    if (limit >= bucket.upper) return {bucket.count, 0};
    if (limit > 0 && from_zero) return {bucket.count * limit / bucket.upper, limit / 2};
    if (bucket.upper <= 0) return {bucket.count, limit};
    return {0, FiniteOrZero(bucket.upper)};
  }
  if (limit <= bucket.lower) return {bucket.count, 0};
  if (limit >= 0 && bucket.upper > limit && from_zero) {
    return {bucket.count * (1 - limit / bucket.upper), (limit + bucket.upper) / 2};
  }
  return {0, FiniteOrZero(bucket.upper)};
}

Rest RestOfHighestBucket(const Bucket& bucket, double limit, Keep keep) {
  if (keep == Keep::kAbove && limit >= bucket.lower) return {bucket.count, limit};
  return {0, FiniteOrZero(bucket.lower)};
}

// Precondition: `limit` is inside the bucket.
Rest RestOfCutBucket(const Bucket& bucket, double limit, Keep keep, Interpolation interpolation) {
  if (bucket.lower == -std::numeric_limits<double>::infinity()) {
    return RestOfLowestBucket(bucket, limit, keep);
  }
  if (bucket.upper == std::numeric_limits<double>::infinity()) {
    return RestOfHighestBucket(bucket, limit, keep);
  }
  const double below = bucket.count * FractionBelow(bucket, limit, interpolation);
  if (keep == Keep::kBelow) return {below, Midpoint(bucket.lower, limit, interpolation)};
  return {bucket.count - below, Midpoint(limit, bucket.upper, interpolation)};
}

Rest RestOfBucket(const Bucket& bucket, double limit, Keep keep, Interpolation interpolation) {
  const bool all = keep == Keep::kBelow ? bucket.upper <= limit : bucket.lower >= limit;
  if (all) return {bucket.count, Midpoint(bucket.lower, bucket.upper, interpolation)};
  const bool cut = keep == Keep::kBelow ? bucket.lower < limit : bucket.upper > limit;
  return cut ? RestOfCutBucket(bucket, limit, keep, interpolation) : Rest{};
}

Rest RestOfZeroBucket(const Bucket& bucket, double limit, Keep keep) {
  const double lower = bucket.lower;
  const double upper = bucket.upper;
  const Rest all{bucket.count, (lower + upper) / 2};
  if (limit <= lower) return keep == Keep::kBelow ? Rest{} : all;
  if (limit >= upper) return keep == Keep::kBelow ? all : Rest{};
  const double width = upper - lower;
  if (keep == Keep::kBelow) return {bucket.count * ((limit - lower) / width), (lower + limit) / 2};
  return {bucket.count * ((upper - limit) / width), (limit + upper) / 2};
}

class Trimmer {
 public:
  Trimmer(const Histogram& histogram, double limit, Keep keep)
      : histogram_(histogram), limit_(limit), keep_(keep) {}

  Histogram Run() && {
    const bool has_positive = TrimSide(PositiveBuckets(histogram_), histogram_.positive_counts);
    const bool has_negative = TrimSide(NegativeBuckets(histogram_), histogram_.negative_counts);
    if (histogram_.zero_count > 0) TrimZeroBucket(has_positive, has_negative);
    if (changed_) {
      histogram_.count = count_;
      histogram_.sum = sum_;
      Compact(histogram_);
    }
    return std::move(histogram_);
  }

 private:
  // Returns whether the side had any observations before.
  bool TrimSide(const std::vector<Bucket>& buckets, std::vector<double>& counts) {
    const Interpolation interpolation =
        histogram_.uses_custom_buckets() ? Interpolation::kLinear : Interpolation::kLogarithmic;
    bool populated = false;
    for (size_t i = 0; i < buckets.size(); ++i) {
      if (buckets[i].count == 0) continue;
      populated = true;
      Take(RestOfBucket(buckets[i], limit_, keep_, interpolation), counts[i]);
    }
    return populated;
  }

  void TrimZeroBucket(bool has_positive, bool has_negative) {
    Bucket bucket = ZeroBucket(histogram_);
    if (has_negative && !has_positive) bucket.upper = 0;
    if (has_positive && !has_negative) bucket.lower = 0;
    Take(RestOfZeroBucket(bucket, limit_, keep_), histogram_.zero_count);
  }

  void Take(const Rest& rest, double& count) {
    count_ += rest.count;
    sum_ += rest.midpoint * rest.count;
    if (count != rest.count) changed_ = true;
    count = rest.count;
  }

  Histogram histogram_;
  const double limit_;
  const Keep keep_;
  double count_ = 0;
  double sum_ = 0;
  bool changed_ = false;
};

}  // namespace

Histogram TrimUpper(const Histogram& histogram, double limit) {
  return Trimmer(histogram, limit, Keep::kBelow).Run();
}

Histogram TrimLower(const Histogram& histogram, double limit) {
  return Trimmer(histogram, limit, Keep::kAbove).Run();
}

}  // namespace lockstep::engine
