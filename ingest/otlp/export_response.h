// What the metrics service answers: ExportMetricsServiceResponse, and google.rpc.Status for errors, in protobuf
// and in JSON. Pure functions.
//
//   ExportMetricsServiceResponse  1 partial_success { 1 int64 rejected_data_points   2 string error_message }
//   Status                        1 int32 code   2 string message
//
// Source: OpenTelemetry Protocol, "OTLP/HTTP Response" and opentelemetry/proto/collector/metrics/v1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::otlp {

enum class Encoding { kProtobuf, kJson };

// Nothing was rejected if the count is 0 and the text empty. The text is UTF-8.
std::string ExportResponse(Encoding encoding, uint64_t rejected_data_points,
                           std::string_view error_message);

// `code` is one of google.rpc.Code. The text is UTF-8.
std::string StatusResponse(Encoding encoding, int32_t code, std::string_view message);

}  // namespace lockstep::otlp
