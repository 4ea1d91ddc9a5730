#include "ingest/otlp/protobuf_request.h"

#include <optional>
#include <protozero/pbf_reader.hpp>
#include <vector>

#include "ingest/otlp/protobuf_attributes.h"
#include "ingest/otlp/protobuf_points.h"

namespace lockstep::otlp {
namespace {

using protozero::pbf_wire_type;
using protozero::tag_and_type;

// Calls visit(message) for each message that is field `tag`.
template <typename Visit>
void ForEachMessage(std::string_view message, uint32_t tag, const Visit& visit) {
  protozero::pbf_reader reader(message);
  while (reader.next(tag, pbf_wire_type::length_delimited)) visit(reader.get_view());
}

Attributes ReadResource(std::string_view resource_metrics) {
  Attributes attributes;
  ForEachMessage(resource_metrics, 1, [&](std::string_view resource) {
    ForEachMessage(resource, 1,
                   [&](std::string_view attribute) { ReadAttribute(attribute, attributes); });
  });
  return attributes;
}

void ReadScopeMessage(std::string_view message, Scope& scope) {
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(1, pbf_wire_type::length_delimited):
        scope.name = reader.get_view();
        break;
      case tag_and_type(2, pbf_wire_type::length_delimited):
        scope.version = reader.get_view();
        break;
      case tag_and_type(3, pbf_wire_type::length_delimited):
        ReadAttribute(reader.get_view(), scope.attributes);
        break;
      default:
        reader.skip();
    }
  }
}

Scope ReadScope(std::string_view scope_metrics) {
  Scope scope;
  ForEachMessage(scope_metrics, 1, [&](std::string_view it) { ReadScopeMessage(it, scope); });
  ForEachMessage(scope_metrics, 3, [&](std::string_view url) { scope.schema_url = url; });
  return scope;
}

std::optional<MetricKind> KindOf(uint32_t tag) {
  switch (tag) {
    case 5:
      return MetricKind::kGauge;
    case 7:
      return MetricKind::kSum;
    case 9:
      return MetricKind::kHistogram;
    case 10:
      return MetricKind::kExponentialHistogram;
    case 11:
      return MetricKind::kSummary;
    default:
      return std::nullopt;
  }
}

// What counting the points of a metric means.
void ReadDataFields(std::string_view data, MetricHeader& header) {
  if (header.kind == MetricKind::kGauge || header.kind == MetricKind::kSummary) return;
  protozero::pbf_reader reader(data);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case tag_and_type(2, pbf_wire_type::varint):
        header.temporality = static_cast<Temporality>(reader.get_enum());
        break;
      case tag_and_type(3, pbf_wire_type::varint):
        // get_bool() looks at a byte before it knows that there is one.
        header.is_monotonic = reader.get_uint64() != 0;
        break;
      default:
        reader.skip();
    }
  }
}

void ReadPoints(MetricKind kind, std::string_view data, Translator& translator) {
  ForEachMessage(data, 1, [&](std::string_view point) {
    switch (kind) {
      case MetricKind::kGauge:
      case MetricKind::kSum:
        return translator.Add(ReadNumberPoint(point));
      case MetricKind::kHistogram:
        return translator.Add(ReadHistogramPoint(point));
      case MetricKind::kExponentialHistogram:
        return translator.Add(ReadExponentialHistogramPoint(point));
      case MetricKind::kSummary:
        return translator.Add(ReadSummaryPoint(point));
    }
  });
}

void ReadMetric(std::string_view message, Translator& translator) {
  MetricHeader header;
  std::optional<std::string_view> data;
  protozero::pbf_reader reader(message);
  while (reader.next()) {
    if (reader.wire_type() != pbf_wire_type::length_delimited) {
      reader.skip();
      continue;
    }
    const uint32_t tag = reader.tag();
    const std::string_view field = reader.get_view();
    if (tag == 1) header.name = field;
    if (tag == 2) header.description = field;
    if (tag == 3) header.unit = field;
    if (const auto kind = KindOf(tag)) {
      header.kind = *kind;
      data = field;
    }
  }
  // A metric of a kind that is not known here has no points here.
  if (!data.has_value()) return;
  ReadDataFields(*data, header);
  translator.BeginMetric(header);
  ReadPoints(header.kind, *data, translator);
}

}  // namespace

void ReadProtobufRequest(std::string_view message, Translator& translator) {
  ForEachMessage(message, 1, [&](std::string_view resource_metrics) {
    const Attributes resource = ReadResource(resource_metrics);
    translator.BeginResource(resource);
    ForEachMessage(resource_metrics, 2, [&](std::string_view scope_metrics) {
      const Scope scope = ReadScope(scope_metrics);
      translator.BeginScope(scope);
      ForEachMessage(scope_metrics, 2,
                     [&](std::string_view metric) { ReadMetric(metric, translator); });
    });
    translator.EndResource();
  });
}

}  // namespace lockstep::otlp
