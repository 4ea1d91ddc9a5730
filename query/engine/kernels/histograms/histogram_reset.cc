// Counter resets of native histograms.
#include <algorithm>

#include "query/engine/kernels/histograms/histogram_buckets.h"
#include "query/engine/kernels/histograms/histogram_math.h"
#include "query/engine/kernels/histograms/histogram_row.h"

namespace lockstep::engine {
namespace {

// Whether a bucket of `previous` has fewer observations in `current` (0 if it is missing).
bool AnyBucketFell(const BucketRow& current, const BucketRow& previous) {
  auto at = current.begin();
  for (const IndexedCount& bucket : previous) {
    while (at != current.end() && at->index < bucket.index) ++at;
    if (at == current.end() || at->index != bucket.index) {
      if (bucket.count != 0) return true;
    } else if (at->count < bucket.count) {
      return true;
    }
  }
  return false;
}

// `row` at a coarser schema, without the buckets inside a zero bucket of `zero_threshold`.
BucketRow Comparable(const BucketRow& row, int32_t schema, int32_t to_schema,
                     double zero_threshold) {
  BucketRow reduced = ReduceRow(row, schema, to_schema);
  std::erase_if(reduced, [=](const IndexedCount& bucket) {
    return BucketUpperBound(bucket.index, to_schema, {}) <= zero_threshold;
  });
  return reduced;
}

std::vector<double> CountsByBounds(const Histogram& histogram, const std::vector<double>& bounds) {
  const std::vector<int32_t> map = MapBounds(histogram.custom_values, bounds);
  std::vector<double> counts(bounds.size() + 1);
  for (const IndexedCount& bucket : Unpack(histogram.positive_spans, histogram.positive_counts)) {
    const int32_t index = std::clamp(bucket.index, 0, static_cast<int32_t>(map.size()) - 1);
    counts[static_cast<size_t>(map[static_cast<size_t>(index)])] += bucket.count;
  }
  return counts;
}

bool CustomBucketFell(const Histogram& current, const Histogram& previous) {
  if (current.custom_values == previous.custom_values) {
    return AnyBucketFell(Unpack(current.positive_spans, current.positive_counts),
                         Unpack(previous.positive_spans, previous.positive_counts));
  }
  const std::vector<double> common = CommonBounds(current.custom_values, previous.custom_values);
  const std::vector<double> now = CountsByBounds(current, common);
  const std::vector<double> before = CountsByBounds(previous, common);
  for (size_t i = 0; i < now.size(); ++i) {
    if (now[i] < before[i]) return true;
  }
  return false;
}

bool ExponentialBucketFell(const Histogram& current, const Histogram& previous) {
  if (current.schema > previous.schema) return true;
  const double threshold = current.zero_threshold;
  if (threshold < previous.zero_threshold) return true;
  const BucketRows before = UnpackBoth(previous);
  double zero_count_before = previous.zero_count;
  if (threshold != previous.zero_threshold) {
    // Without a reset, a populated bucket cannot become partly covered by the zero bucket.
    if (ThresholdOutsideBuckets(before, previous.schema, threshold) != threshold) return true;
    zero_count_before = WidenedZeroCount(before, previous.schema, zero_count_before, threshold).sum;
  }
  if (current.zero_count < zero_count_before) return true;
  const BucketRows now = UnpackBoth(current);
  const auto fell = [&](const BucketRow& row, const BucketRow& row_before) {
    return AnyBucketFell(Comparable(row, current.schema, current.schema, threshold),
                         Comparable(row_before, previous.schema, current.schema, threshold));
  };
  return fell(now.positive, before.positive) || fell(now.negative, before.negative);
}

}  // namespace

bool DetectReset(const Histogram& current, const Histogram& previous) {
  if (current.reset_hint == CounterResetHint::kReset) return true;
  if (current.reset_hint == CounterResetHint::kNotReset) return false;
  if (current.count < previous.count) return true;
  if (!SameBucketFamily(current, previous)) return true;
  return current.uses_custom_buckets() ? CustomBucketFell(current, previous)
                                       : ExponentialBucketFell(current, previous);
}

}  // namespace lockstep::engine
