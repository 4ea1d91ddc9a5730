// Histogram: one native histogram sample, exponential or with custom buckets.
//
// Counts are floats, whatever the sender used; integer counts up to 2^53 are exact. Bucket `index`
// of an exponential histogram of `schema` covers (base^(index-1), base^index] with base =
// 2^(2^-schema), mirrored on the negative side. Schema -53 has custom upper bounds in
// `custom_values`; the last bucket ends at +Inf. Source: Prometheus, "Native Histograms"
// specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep {

enum class CounterResetHint : uint8_t { kUnknown = 0, kReset = 1, kNotReset = 2, kGauge = 3 };

inline constexpr int32_t kCustomBucketsSchema = -53;
inline constexpr int32_t kMinExponentialSchema = -4;
inline constexpr int32_t kMaxExponentialSchema = 8;

// A run of neighbouring buckets. `offset` is the gap to the previous run; for the first run it is
// the index of the first bucket.
struct BucketSpan {
  int32_t offset = 0;
  uint32_t length = 0;
  friend bool operator==(const BucketSpan&, const BucketSpan&) = default;
};

struct Histogram {
  CounterResetHint reset_hint = CounterResetHint::kUnknown;
  int32_t schema = 0;
  double zero_threshold = 0;
  double zero_count = 0;
  double count = 0;
  double sum = 0;
  // One absolute count for each bucket of the spans.
  std::vector<BucketSpan> positive_spans;
  std::vector<double> positive_counts;
  std::vector<BucketSpan> negative_spans;
  std::vector<double> negative_counts;
  std::vector<double> custom_values;

  bool uses_custom_buckets() const { return schema == kCustomBucketsSchema; }
  // Size in memory, including buckets.
  size_t byte_count() const {
    return sizeof(Histogram) +
           sizeof(double) *
               (positive_counts.size() + negative_counts.size() + custom_values.size()) +
           sizeof(BucketSpan) * (positive_spans.size() + negative_spans.size());
  }
};

}  // namespace lockstep
