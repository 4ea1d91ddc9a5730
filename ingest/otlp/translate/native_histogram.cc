#include "ingest/otlp/translate/native_histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "ingest/histogram/histogram_check.h"
#include "model/sample.h"

namespace lockstep::otlp {
namespace {

// One side of a histogram.
struct Side {
  std::vector<BucketSpan> spans;
  std::vector<double> counts;
};

// Appends buckets in order of their index. A few empty buckets cost less than a new span.
class SideBuilder {
 public:
  void Add(int64_t index, uint64_t count) {
    if (count == 0) return;
    const bool is_first = side_.spans.empty();
    const int64_t gap = index - next_index_;
    if (is_first || gap > kMaxFilledGap) {
      side_.spans.push_back({static_cast<int32_t>(is_first ? index : gap), 0});
    } else {
      side_.spans.back().length += static_cast<uint32_t>(gap);
      side_.counts.resize(side_.counts.size() + static_cast<size_t>(gap));
    }
    ++side_.spans.back().length;
    side_.counts.push_back(static_cast<double>(count));
    next_index_ = index + 1;
  }
  Side Finish() { return std::move(side_); }

 private:
  static constexpr int64_t kMaxFilledGap = 2;

  Side side_;
  int64_t next_index_ = 0;
};

bool AddTo(uint64_t& total, uint64_t count) {
  return !__builtin_add_overflow(total, count, &total);
}

bool AddTo(uint64_t& total, std::span<const uint64_t> counts) {
  return std::ranges::all_of(counts, [&](uint64_t count) { return AddTo(total, count); });
}

// Merges each 2^merged_bits neighbours into one.
Side SideOf(const ExponentialBuckets& buckets, int merged_bits) {
  SideBuilder builder;
  int64_t index = 0;
  uint64_t count = 0;
  for (size_t i = 0; i < buckets.counts.size(); ++i) {
    const int64_t next = ((int64_t{buckets.offset} + static_cast<int64_t>(i)) >> merged_bits) + 1;
    if (next != index) {
      builder.Add(index, count);
      count = 0;
    }
    index = next;
    count += buckets.counts[i];
  }
  builder.Add(index, count);
  return builder.Finish();
}

bool IsIndexOutOfRange(const ExponentialBuckets& buckets) {
  return int64_t{buckets.offset} + static_cast<int64_t>(buckets.counts.size()) >=
         std::numeric_limits<int32_t>::max();
}

// NaN observations are counted but are in no bucket.
absl::Status CheckCount(uint64_t count, uint64_t in_buckets, double sum) {
  const bool is_right = std::isnan(sum) ? in_buckets <= count : in_buckets == count;
  if (is_right) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "%d observations are in the buckets, but the count is %d", in_buckets, count));
}

absl::Status TooMany() {
  return absl::InvalidArgumentError("the histogram has more than 2^64 observations");
}

Histogram StaleHistogram(int32_t schema) {
  Histogram h;
  h.schema = schema;
  h.sum = StaleNan();
  return h;
}

}  // namespace

absl::StatusOr<Histogram> NativeHistogramOf(const ExponentialHistogramPoint& point) {
  // An index has no more bits to merge away.
  constexpr int32_t kMaxMergedBits = 40;
  if (point.scale < kMinExponentialSchema) {
    return absl::InvalidArgumentError(absl::StrFormat("the scale %d is below the minimum of %d",
                                                      point.scale, kMinExponentialSchema));
  }
  const int32_t schema = std::min(point.scale, kMaxExponentialSchema);
  if (point.has_no_value) return StaleHistogram(schema);
  if (IsIndexOutOfRange(point.positive) || IsIndexOutOfRange(point.negative)) {
    return absl::InvalidArgumentError("a bucket's index exceeds 32 bits");
  }
  const int merged_bits = std::min(point.scale - schema, kMaxMergedBits);
  uint64_t total = point.zero_count;
  if (!AddTo(total, point.positive.counts) || !AddTo(total, point.negative.counts)) {
    return TooMany();
  }
  Histogram h;
  h.schema = schema;
  h.sum = point.sum.value_or(0);
  LOCKSTEP_RETURN_IF_ERROR(CheckCount(point.count, total, h.sum));
  h.count = static_cast<double>(point.count);
  h.zero_count = static_cast<double>(point.zero_count);
  h.zero_threshold = point.zero_threshold > 0 ? point.zero_threshold : kDefaultZeroThreshold;
  Side positive = SideOf(point.positive, merged_bits);
  h.positive_spans = std::move(positive.spans);
  h.positive_counts = std::move(positive.counts);
  Side negative = SideOf(point.negative, merged_bits);
  h.negative_spans = std::move(negative.spans);
  h.negative_counts = std::move(negative.counts);
  LOCKSTEP_RETURN_IF_ERROR(CheckHistogramLayout(h));
  return h;
}

absl::StatusOr<Histogram> NativeHistogramOf(const HistogramPoint& point) {
  if (point.has_no_value) return StaleHistogram(kCustomBucketsSchema);
  // A point without buckets has all observations in the +Inf bucket.
  const std::vector<uint64_t> counts =
      point.bucket_counts.empty() ? std::vector<uint64_t>{point.count} : point.bucket_counts;
  uint64_t total = 0;
  if (!AddTo(total, counts)) return TooMany();
  Histogram h;
  h.schema = kCustomBucketsSchema;
  h.sum = point.sum.value_or(0);
  LOCKSTEP_RETURN_IF_ERROR(CheckCount(point.count, total, h.sum));
  h.count = static_cast<double>(point.count);
  SideBuilder builder;
  for (size_t i = 0; i < counts.size(); ++i) builder.Add(static_cast<int64_t>(i), counts[i]);
  Side side = builder.Finish();
  h.positive_spans = std::move(side.spans);
  h.positive_counts = std::move(side.counts);
  if (!point.bucket_counts.empty()) h.custom_values = point.bounds;
  LOCKSTEP_RETURN_IF_ERROR(CheckHistogramLayout(h));
  return h;
}

}  // namespace lockstep::otlp
