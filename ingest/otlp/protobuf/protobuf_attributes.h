// Decodes OTLP attributes in protobuf: repeated KeyValue messages. Pure functions; they throw
// protozero::exception.
//
//   KeyValue   1 key            2 AnyValue
//   AnyValue   1 string   2 bool   3 int64   4 double   5 ArrayValue   6 KeyValueList   7 bytes
//
// Source: OpenTelemetry, opentelemetry/proto/common/v1/common.proto.
#pragma once

#include <string_view>

#include "ingest/otlp/points/attributes.h"

namespace lockstep::otlp {

// Adds the attribute in a KeyValue message, which must outlive `attributes`.
void ReadAttribute(std::string_view message, Attributes& attributes);

}  // namespace lockstep::otlp
