// OTLP metrics as plain data, independent of their encoding. Texts are views of the request or of
// its parsed form. Source: OpenTelemetry, opentelemetry/proto/metrics/v1/metrics.proto.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/otlp/points/attributes.h"

namespace lockstep::otlp {

// An OTLP time as a sample's time.
inline int64_t MillisecondsOf(uint64_t time_ns) {
  return static_cast<int64_t>(time_ns / 1'000'000);
}

struct Scope {
  std::string_view name;
  std::string_view version;
  std::string_view schema_url;
  Attributes attributes;
};

enum class MetricKind { kGauge, kSum, kHistogram, kExponentialHistogram, kSummary };
// The reference of a metric's values. Gauges and summaries have none.
enum class Temporality : int32_t { kUnspecified = 0, kDelta = 1, kCumulative = 2 };

struct MetricHeader {
  std::string_view name;
  std::string_view unit;
  std::string_view description;
  MetricKind kind = MetricKind::kGauge;
  Temporality temporality = Temporality::kUnspecified;
  bool is_monotonic = false;  // for sums
};

struct OtlpExemplar {
  Attributes attributes;
  uint64_t time_ns = 0;
  std::optional<double> value;
  std::string trace_id;  // lower-case hex, "" for none
  std::string span_id;
};

// Further exemplars of a point are not decoded.
inline constexpr size_t kMaxExemplarsPerPoint = 1000;

// Fields of all points.
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

// Adjacent buckets; number i is (base^(offset + i), base^(offset + i + 1)].
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
