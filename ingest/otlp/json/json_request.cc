#include "ingest/otlp/json/json_request.h"

#include <optional>
#include <utility>

#include "ingest/otlp/json/json_attributes.h"
#include "ingest/otlp/json/json_points.h"

namespace lockstep::otlp {
namespace {

Scope ReadJsonScope(JsonObject scope_metrics) {
  Scope scope;
  scope.schema_url = JsonText(scope_metrics, "schemaUrl");
  const auto member = JsonMember(scope_metrics, "scope");
  if (!member.has_value()) return scope;
  scope.name = JsonText(*member, "name");
  scope.version = JsonText(*member, "version");
  ReadJsonAttributes(*member, "attributes", scope.attributes);
  return scope;
}

// A number, but some senders write the name.
Temporality TemporalityOf(JsonObject data) {
  constexpr std::string_view kKey = "aggregationTemporality";
  const std::string_view name = JsonText(data, kKey);
  if (name == "AGGREGATION_TEMPORALITY_DELTA") return Temporality::kDelta;
  if (name == "AGGREGATION_TEMPORALITY_CUMULATIVE") return Temporality::kCumulative;
  return static_cast<Temporality>(JsonInt64(data, kKey));
}

struct MetricData {
  MetricKind kind;
  JsonObject object;
};

std::optional<MetricData> DataOf(JsonObject metric) {
  constexpr std::pair<std::string_view, MetricKind> kKinds[] = {
      {"gauge", MetricKind::kGauge},
      {"sum", MetricKind::kSum},
      {"histogram", MetricKind::kHistogram},
      {"exponentialHistogram", MetricKind::kExponentialHistogram},
      {"summary", MetricKind::kSummary},
  };
  for (const auto& [key, kind] : kKinds) {
    if (const auto data = JsonMember(metric, key)) return MetricData{kind, *data};
  }
  return std::nullopt;
}

void AddJsonPoint(MetricKind kind, JsonObject point, Translator& translator) {
  switch (kind) {
    case MetricKind::kGauge:
    case MetricKind::kSum:
      return translator.Add(ReadJsonNumberPoint(point));
    case MetricKind::kHistogram:
      return translator.Add(ReadJsonHistogramPoint(point));
    case MetricKind::kExponentialHistogram:
      return translator.Add(ReadJsonExponentialHistogramPoint(point));
    case MetricKind::kSummary:
      return translator.Add(ReadJsonSummaryPoint(point));
  }
}

void ReadJsonMetric(JsonObject metric, Translator& translator) {
  const auto data = DataOf(metric);
  // Metrics of unknown kinds have no points.
  if (!data.has_value()) return;
  MetricHeader header;
  header.name = JsonText(metric, "name");
  header.unit = JsonText(metric, "unit");
  header.description = JsonText(metric, "description");
  header.kind = data->kind;
  header.temporality = TemporalityOf(data->object);
  header.is_monotonic = JsonBool(data->object, "isMonotonic");
  translator.BeginMetric(header);
  ForEachObject(data->object, "dataPoints",
                [&](JsonObject point) { AddJsonPoint(data->kind, point, translator); });
}

}  // namespace

void ReadJsonRequest(JsonObject request, Translator& translator) {
  ForEachObject(request, "resourceMetrics", [&](JsonObject resource_metrics) {
    Attributes resource;
    if (const auto member = JsonMember(resource_metrics, "resource")) {
      ReadJsonAttributes(*member, "attributes", resource);
    }
    translator.BeginResource(resource);
    ForEachObject(resource_metrics, "scopeMetrics", [&](JsonObject scope_metrics) {
      const Scope scope = ReadJsonScope(scope_metrics);
      translator.BeginScope(scope);
      ForEachObject(scope_metrics, "metrics",
                    [&](JsonObject metric) { ReadJsonMetric(metric, translator); });
    });
    translator.EndResource();
  });
}

}  // namespace lockstep::otlp
