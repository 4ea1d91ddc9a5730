// ExportMetricsServiceRequest in JSON: walks the parsed text and hands its points to a Translator. Members that
// are missing, of another type or unknown count as protobuf's defaults.
//
// Source: OpenTelemetry Protocol, "JSON Protobuf Encoding": names in lowerCamelCase, enums as numbers.
#pragma once

#include "ingest/otlp/json_value.h"
#include "ingest/otlp/translator.h"

namespace lockstep::otlp {

// The document outlives the translator.
void ReadJsonRequest(JsonObject request, Translator& translator);

}  // namespace lockstep::otlp
