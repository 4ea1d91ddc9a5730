// Metrics of OTLP as plain data, whatever they were encoded in. Texts are views of the request, or of what
// was parsed of it. Source: OpenTelemetry, opentelemetry/proto/metrics/v1/metrics.proto.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/otlp/attributes.h"

namespace lockstep::otlp {

struct Scope {
  std::string_view name;
  std::string_view version;
  std::string_view schema_url;
  Attributes attributes;
};

enum class MetricKind { kGauge, kSum, kHistogram, kExponentialHistogram, kSummary };
// What the numbers of a metric's points count from. Gauges and summaries have none.
enum class Temporality : int32_t { kUnspecified = 0, kDelta = 1, kCumulative = 2 };

struct MetricHeader {
  std::string_view name;
  std::string_view unit;
  std::string_view description;
  MetricKind kind = MetricKind::kGauge;
  Temporality temporality = Temporality::kUnspecified;
  bool is_monotonic = false;  // of sums
};

struct OtlpExemplar {
  Attributes attributes;
  uint64_t time_ns = 0;
  std::optional<double> value;
  std::string trace_id;  // lower-case hex digits, "" for none
  std::string span_id;
};

// More of one point than anybody keeps are not read.
inline constexpr size_t kMaxExemplarsPerPoint = 1000;

// What all points have.
struct DataPoint {
  Attributes attributes;
  uint64_t start_ns = 0;  // 0: unknown
  uint64_t time_ns = 0;
  bool has_no_value = false;  // the series has ended
  std::vector<OtlpExemplar> exemplars{};
};

struct NumberPoint : DataPoint {
  double value = 0;
};

struct HistogramValue {
  uint64_t count = 0;
  std::optional<double> sum;
  std::vector<uint64_t> bucket_counts;
  std::vector<double> bounds;
};
struct HistogramPoint : DataPoint, HistogramValue {};

// Buckets side by side; that number i is (base^(offset + i), base^(offset + i + 1)].
struct ExponentialBuckets {
  int32_t offset = 0;
  std::vector<uint64_t> counts;
};

struct ExponentialHistogramValue {
  uint64_t count = 0;
  std::optional<double> sum;
  int32_t scale = 0;  // base = 2^(2^-scale)
  uint64_t zero_count = 0;
  double zero_threshold = 0;
  ExponentialBuckets positive;
  ExponentialBuckets negative;
};
struct ExponentialHistogramPoint : DataPoint, ExponentialHistogramValue {};

struct QuantileValue {
  double quantile = 0;
  double value = 0;
};

struct SummaryPoint : DataPoint {
  uint64_t count = 0;
  double sum = 0;
  std::vector<QuantileValue> quantiles;
};

}  // namespace lockstep::otlp
