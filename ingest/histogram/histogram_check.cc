#include "ingest/histogram/histogram_check.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"

namespace lockstep {
namespace {

absl::Status InvalidHistogram(const std::string& text) { return absl::InvalidArgumentError(text); }

absl::Status CheckSpans(const std::vector<BucketSpan>& spans, size_t bucket_count) {
  uint64_t needed = 0;
  int64_t next_index = 0;
  for (size_t i = 0; i < spans.size(); ++i) {
    if (i > 0 && spans[i].offset < 0) {
      return InvalidHistogram(absl::StrFormat(
          "span number %d with offset %d: histogram has a span whose offset is negative", i + 1,
          spans[i].offset));
    }
    needed += spans[i].length;
    next_index += static_cast<int64_t>(spans[i].offset) + spans[i].length;
    if (next_index > std::numeric_limits<int32_t>::max()) {
      return InvalidHistogram("histogram has a bucket index beyond 32 bits");
    }
  }
  if (needed != bucket_count) {
    return InvalidHistogram(absl::StrFormat(
        "spans need %d buckets, have %d buckets: histogram spans specify different number of "
        "buckets than provided",
        needed, bucket_count));
  }
  return absl::OkStatus();
}

absl::Status CheckCustomBuckets(const Histogram& h) {
  if (h.zero_count != 0) return InvalidHistogram("custom buckets: must have zero count of 0");
  if (h.zero_threshold != 0)
    return InvalidHistogram("custom buckets: must have zero threshold of 0");
  if (!h.negative_spans.empty())
    return InvalidHistogram("custom buckets: must not have negative spans");
  if (!h.negative_counts.empty())
    return InvalidHistogram("custom buckets: must not have negative buckets");
  double previous = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < h.custom_values.size(); ++i) {
    const double bound = h.custom_values[i];
    // Written so that NaN fails too.
    if (!(bound > previous || (i == 0 && bound == previous))) {
      return InvalidHistogram("histogram custom bounds must be in strictly increasing order");
    }
    previous = bound;
  }
  if (!h.custom_values.empty() && std::isinf(previous) && previous > 0) {
    return InvalidHistogram("histogram custom bounds must be finite");
  }
  int64_t next_index = 0;
  for (const BucketSpan& span : h.positive_spans) {
    if (span.offset < 0) return InvalidHistogram("histogram has a span whose offset is negative");
    next_index += static_cast<int64_t>(span.offset) + span.length;
  }
  if (next_index > static_cast<int64_t>(h.custom_values.size()) + 1) {
    return InvalidHistogram(absl::StrFormat(
        "only %d custom bounds defined which is insufficient to cover total span length of %d: "
        "histogram custom bounds are too few",
        h.custom_values.size(), next_index));
  }
  return absl::OkStatus();
}

absl::Status CheckSchema(const Histogram& h) {
  if (h.uses_custom_buckets()) return CheckCustomBuckets(h);
  if (h.schema < kMinExponentialSchema || h.schema > kMaxExponentialSchema) {
    return InvalidHistogram(absl::StrFormat(
        "histogram has an invalid schema %d, which must be between %d and %d or %d", h.schema,
        kMinExponentialSchema, kMaxExponentialSchema, kCustomBucketsSchema));
  }
  if (!h.custom_values.empty()) {
    return InvalidHistogram("histogram with exponential schema must not have custom bounds");
  }
  if (!(h.zero_threshold >= 0)) {
    return InvalidHistogram("histogram has a zero threshold that is negative or not a number");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckHistogramLayout(const Histogram& h) {
  LOCKSTEP_RETURN_IF_ERROR(CheckSpans(h.negative_spans, h.negative_counts.size()));
  LOCKSTEP_RETURN_IF_ERROR(CheckSpans(h.positive_spans, h.positive_counts.size()));
  return CheckSchema(h);
}

}  // namespace lockstep
