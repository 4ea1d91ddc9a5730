#include "ingest/otlp/json/json_points.h"

#include "ingest/otlp/json/json_attributes.h"

namespace lockstep::otlp {
namespace {

// "asDouble" or "asInt".
std::optional<double> ReadNumber(JsonObject object) {
  if (const auto number = JsonDouble(object, "asDouble")) return number;
  JsonElement element;
  if (object.at_key("asInt").get(element) != simdjson::SUCCESS) return std::nullopt;
  const auto integer = Int64Of(element);
  if (!integer.has_value()) return std::nullopt;
  return static_cast<double>(*integer);
}

OtlpExemplar ReadJsonExemplar(JsonObject object) {
  OtlpExemplar exemplar;
  ReadJsonAttributes(object, "filteredAttributes", exemplar.attributes);
  exemplar.time_ns = JsonUint64(object, "timeUnixNano");
  exemplar.value = ReadNumber(object);
  exemplar.trace_id = JsonId(object, "traceId");
  exemplar.span_id = JsonId(object, "spanId");
  return exemplar;
}

void ReadCommonMembers(JsonObject object, DataPoint& point) {
  ReadJsonAttributes(object, "attributes", point.attributes);
  point.start_ns = JsonUint64(object, "startTimeUnixNano");
  point.time_ns = JsonUint64(object, "timeUnixNano");
  point.has_no_value = (JsonUint64(object, "flags") & 1) != 0;
  ForEachObject(object, "exemplars", [&](JsonObject exemplar) {
    if (point.exemplars.size() == kMaxExemplarsPerPoint) return;
    point.exemplars.push_back(ReadJsonExemplar(exemplar));
  });
}

ExponentialBuckets ReadJsonBuckets(JsonObject object, std::string_view key) {
  ExponentialBuckets buckets;
  const auto member = JsonMember(object, key);
  if (!member.has_value()) return buckets;
  buckets.offset = static_cast<int32_t>(JsonInt64(*member, "offset"));
  ForEachElement(*member, "bucketCounts",
                 [&](JsonElement count) { buckets.counts.push_back(Uint64Of(count)); });
  return buckets;
}

}  // namespace

NumberPoint ReadJsonNumberPoint(JsonObject object) {
  NumberPoint point;
  ReadCommonMembers(object, point);
  point.value = ReadNumber(object).value_or(0);
  return point;
}

HistogramPoint ReadJsonHistogramPoint(JsonObject object) {
  HistogramPoint point;
  ReadCommonMembers(object, point);
  point.count = JsonUint64(object, "count");
  point.sum = JsonDouble(object, "sum");
  ForEachElement(object, "bucketCounts",
                 [&](JsonElement count) { point.bucket_counts.push_back(Uint64Of(count)); });
  ForEachElement(object, "explicitBounds",
                 [&](JsonElement bound) { point.bounds.push_back(DoubleOf(bound).value_or(0)); });
  return point;
}

ExponentialHistogramPoint ReadJsonExponentialHistogramPoint(JsonObject object) {
  ExponentialHistogramPoint point;
  ReadCommonMembers(object, point);
  point.count = JsonUint64(object, "count");
  point.sum = JsonDouble(object, "sum");
  point.scale = static_cast<int32_t>(JsonInt64(object, "scale"));
  point.zero_count = JsonUint64(object, "zeroCount");
  point.zero_threshold = JsonDouble(object, "zeroThreshold").value_or(0);
  point.positive = ReadJsonBuckets(object, "positive");
  point.negative = ReadJsonBuckets(object, "negative");
  return point;
}

SummaryPoint ReadJsonSummaryPoint(JsonObject object) {
  SummaryPoint point;
  ReadCommonMembers(object, point);
  point.count = JsonUint64(object, "count");
  point.sum = JsonDouble(object, "sum").value_or(0);
  ForEachObject(object, "quantileValues", [&](JsonObject one) {
    point.quantiles.push_back(
        {JsonDouble(one, "quantile").value_or(0), JsonDouble(one, "value").value_or(0)});
  });
  return point;
}

}  // namespace lockstep::otlp
