#include "query/engine/kernels/histograms/classic_histogram.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "query/engine/kernels/numbers/constants.h"

namespace lockstep::engine {
namespace {

bool EqualsIgnoringCase(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

std::optional<double> ParseSpecial(std::string_view text) {
  if (EqualsIgnoringCase(text, "inf") || EqualsIgnoringCase(text, "infinity")) {
    return std::numeric_limits<double>::infinity();
  }
  if (EqualsIgnoringCase(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

// Parses digits without a sign and, for `hex`, without the prefix.
std::optional<double> ParseDigits(std::string_view text, std::chars_format format) {
  // from_chars would also accept a sign, "inf" and "nan".
  if (text.empty() || !(text[0] == '.' || std::isxdigit(static_cast<unsigned char>(text[0])))) {
    return std::nullopt;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, format);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range) {
    const std::string prefix = format == std::chars_format::hex ? "0x" : "";
    value = std::strtod((prefix + std::string(text)).c_str(), nullptr);
    if (std::isinf(value)) return std::nullopt;
  }
  return value;
}

constexpr double kTolerance = 1e-12;

void SortAndMerge(std::vector<ClassicBucket>& buckets) {
  std::stable_sort(
      buckets.begin(), buckets.end(),
      [](const ClassicBucket& a, const ClassicBucket& b) { return a.upper_bound < b.upper_bound; });
  size_t last = 0;
  for (size_t i = 1; i < buckets.size(); ++i) {
    if (buckets[i].upper_bound == buckets[last].upper_bound) {
      buckets[last].count += buckets[i].count;
    } else {
      buckets[++last] = buckets[i];
    }
  }
  buckets.resize(last + 1);
}

bool AlmostEqual(double a, double b) {
  constexpr double kSmallestNormal = std::numeric_limits<double>::min();
  if (std::isnan(a) && std::isnan(b)) return true;
  if (a == b) return true;
  const double sum = std::fabs(a) + std::fabs(b);
  const double difference = std::fabs(a - b);
  if (a == 0 || b == 0 || sum < kSmallestNormal) return difference < kTolerance * kSmallestNormal;
  return difference / std::min(sum, std::numeric_limits<double>::max()) < kTolerance;
}

// Removes rounding differences in either direction and raises counts that really decrease.
std::optional<MonotonicityFix> MakeMonotonic(std::vector<ClassicBucket>& buckets) {
  MonotonicityFix fix;
  fix.min_bound = kInfinity;
  fix.max_bound = -kInfinity;
  bool lifted = false;
  double previous = buckets[0].count;
  for (size_t i = 1; i < buckets.size(); ++i) {
    ClassicBucket& bucket = buckets[i];
    if (AlmostEqual(previous, bucket.count)) {
      bucket.count = previous;
    } else if (bucket.count < previous) {
      lifted = true;
      fix.min_bound = std::min(fix.min_bound, bucket.upper_bound);
      fix.max_bound = std::max(fix.max_bound, bucket.upper_bound);
      fix.max_diff = std::max(fix.max_diff, previous - bucket.count);
      bucket.count = previous;
    } else {
      previous = bucket.count;
    }
  }
  if (!lifted) return std::nullopt;
  return fix;
}

// Precondition: buckets are sorted and monotonic, there are at least two, and there are
// observations.
double InterpolateQuantile(double q, const std::vector<ClassicBucket>& buckets) {
  double rank = q * buckets.back().count;
  const auto last = buckets.end() - 1;
  const auto found = std::partition_point(
      buckets.begin(), last, [rank](const ClassicBucket& b) { return !(b.count >= rank); });
  if (found == last) return (last - 1)->upper_bound;
  if (found == buckets.begin() && found->upper_bound <= 0) return found->upper_bound;
  double start = 0;
  double count = found->count;
  if (found != buckets.begin()) {
    const ClassicBucket& before = *(found - 1);
    start = before.upper_bound;
    count -= before.count;
    rank -= before.count;
  }
  return start + (found->upper_bound - start) * (rank / count);
}

// Finds the rank of one bound of a fraction, bucket by bucket in ascending order.
class ClassicBoundRank {
 public:
  explicit ClassicBoundRank(double bound) : bound_(bound) {}

  void Visit(double lower, const ClassicBucket& bucket, double rank_before) {
    if (known_) return;
    known_ = lower >= bound_ || bucket.upper_bound > bound_;
    if (lower >= bound_) {
      rank_ = rank_before;
    } else if (known_) {
      // Do not interpolate in a bucket of infinite width.
      rank_ = lower == -kInfinity ? bucket.count
                                  : rank_before + (bucket.count - rank_before) * (bound_ - lower) /
                                                      (bucket.upper_bound - lower);
    }
  }
  double Get(double count) const { return known_ && !(rank_ > count) ? rank_ : count; }

 private:
  const double bound_;
  bool known_ = false;
  double rank_ = 0;
};

}  // namespace

std::optional<double> ParseBucketBound(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::optional<double> magnitude = ParseSpecial(text);
  if (!magnitude && (text.starts_with("0x") || text.starts_with("0X"))) {
    // A hexadecimal number must have its binary exponent.
    if (text.find_first_of("pP") == std::string_view::npos) return std::nullopt;
    magnitude = ParseDigits(text.substr(2), std::chars_format::hex);
  } else if (!magnitude) {
    magnitude = ParseDigits(text, std::chars_format::general);
  }
  if (!magnitude) return std::nullopt;
  return negative ? -*magnitude : *magnitude;
}

ClassicQuantile BucketQuantile(double q, std::vector<ClassicBucket>& buckets) {
  if (std::isnan(q)) return {kNan, std::nullopt};
  if (q < 0) return {-kInfinity, std::nullopt};
  if (q > 1) return {kInfinity, std::nullopt};
  SortAndMerge(buckets);
  if (buckets.back().upper_bound != kInfinity) return {kNan, std::nullopt};
  ClassicQuantile result;
  result.fix = MakeMonotonic(buckets);
  const bool empty = buckets.size() < 2 || buckets.back().count == 0;
  result.value = empty ? kNan : InterpolateQuantile(q, buckets);
  return result;
}

double BucketFraction(double lower, double upper, std::vector<ClassicBucket>& buckets) {
  SortAndMerge(buckets);
  if (buckets.back().upper_bound != kInfinity) return kNan;
  const double count = buckets.back().count;
  if (count == 0 || std::isnan(lower) || std::isnan(upper)) return kNan;
  if (lower >= upper) return 0;

  ClassicBoundRank lower_rank(lower);
  ClassicBoundRank upper_rank(upper);
  // Observations are assumed to be above 0 if the first bound is.
  double start = buckets[0].upper_bound <= 0 ? -kInfinity : 0;
  double rank = 0;
  for (const ClassicBucket& bucket : buckets) {
    lower_rank.Visit(start, bucket, rank);
    upper_rank.Visit(start, bucket, rank);
    rank = bucket.count;
    start = bucket.upper_bound;
  }
  return (upper_rank.Get(count) - lower_rank.Get(count)) / count;
}

}  // namespace lockstep::engine
