// ExportMetricsServiceRequest in protobuf: walks the message and hands its points to a Translator, those of known
// series to a KnownSamples instead.
//
//   ExportMetricsServiceRequest  1 repeated ResourceMetrics
//   ResourceMetrics       1 Resource { 1 attributes }              2 repeated ScopeMetrics
//   ScopeMetrics          1 Scope { 1 name 2 version 3 attributes }  2 repeated Metric   3 schema_url
//   Metric                1 name   2 description   3 unit
//                         5 Gauge   7 Sum   9 Histogram   10 ExponentialHistogram   11 Summary
//   each of those         1 repeated data points   2 temporality   3 is_monotonic (Sum)
//
// Source: OpenTelemetry, opentelemetry/proto/collector/metrics/v1/metrics_service.proto.
#pragma once

#include <string_view>

#include "ingest/otlp/known_samples.h"
#include "ingest/otlp/series_keys.h"
#include "ingest/otlp/translator.h"

namespace lockstep::otlp {

// Where points may be told by their spelling.
struct SpellingUse {
  SeriesKeys* keys = nullptr;     // learn the series of the others; null: of none
  KnownSamples* known = nullptr;  // null: all points are translated
};

// Throws protozero::exception; what came before it has been handed over. `message` outlives the translator.
void ReadProtobufRequest(std::string_view message, const Translation& translation, SpellingUse use,
                         Translator& translator);

}  // namespace lockstep::otlp
