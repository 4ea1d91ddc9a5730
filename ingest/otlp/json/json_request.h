// Decodes ExportMetricsServiceRequest in JSON: walks the parsed text and passes points to a
// Translator. Members that are missing, unknown or of another type count as protobuf defaults.
//
// Source: OpenTelemetry Protocol, "JSON Protobuf Encoding": names in lowerCamelCase, enums as
// numbers.
#pragma once

#include "ingest/otlp/json/json_value.h"
#include "ingest/otlp/translate/translator.h"

namespace lockstep::otlp {

// The document must outlive the translator.
void ReadJsonRequest(JsonObject request, Translator& translator);

}  // namespace lockstep::otlp
