// Encodes the metrics service's responses: ExportMetricsServiceResponse, and google.rpc.Status for
// errors, in protobuf and JSON. Pure functions.
//
//   ExportMetricsServiceResponse  1 partial_success
//                                   { 1 int64 rejected_data_points   2 string error_message }
//   Status                        1 int32 code   2 string message   3 repeated Any details
//   Any                           1 string type_url   2 bytes value
//   RetryInfo                     1 retry_delay { 1 int64 seconds }
//
// Source: OpenTelemetry Protocol, "OTLP/HTTP Response", "OTLP/gRPC Throttling" and
// opentelemetry/proto/collector/metrics/v1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::otlp {

enum class Encoding { kProtobuf, kJson };

// A count of 0 with an empty text means that nothing was rejected. The text is UTF-8.
std::string ExportResponse(Encoding encoding, uint64_t rejected_data_points,
                           std::string_view error_message);

// `code` is one of google.rpc.Code. The text is UTF-8.
std::string StatusResponse(Encoding encoding, int32_t code, std::string_view message);

// In protobuf, with a detail that says when to retry.
std::string StatusWithRetryInfo(int32_t code, std::string_view message, int64_t after_seconds);

// The message in a protobuf StatusResponse(); "" if `status` is not one.
std::string MessageOfStatus(std::string_view status);

}  // namespace lockstep::otlp
