// Decodes ExportMetricsServiceRequest in protobuf: walks the message and passes its points to a
// Translator, or to KnownSamples if their series is known.
//
//   ExportMetricsServiceRequest  1 repeated ResourceMetrics
//   ResourceMetrics       1 Resource { 1 attributes }   2 repeated ScopeMetrics
//   ScopeMetrics          1 Scope { 1 name   2 version   3 attributes }
//                         2 repeated Metric   3 schema_url
//   Metric                1 name   2 description   3 unit
//                         5 Gauge   7 Sum   9 Histogram   10 ExponentialHistogram   11 Summary
//   each of those         1 repeated data points   2 temporality   3 is_monotonic (Sum)
//
// Source: OpenTelemetry, opentelemetry/proto/collector/metrics/v1/metrics_service.proto.
#pragma once

#include <string_view>

#include "ingest/otlp/translate/known_samples.h"
#include "ingest/otlp/translate/series_keys.h"
#include "ingest/otlp/translate/translator.h"

namespace lockstep::otlp {

// Where to look up and learn series by the spelling of points.
struct SpellingUse {
  SeriesKeys* keys = nullptr;     // learn the series of other points; null: none
  KnownSamples* known = nullptr;  // null: all points are translated
};

// Throws protozero::exception; points before the error have been passed on. `message` must outlive
// the translator.
void ReadProtobufRequest(std::string_view message, const Translation& translation, SpellingUse use,
                         Translator& translator);

}  // namespace lockstep::otlp
