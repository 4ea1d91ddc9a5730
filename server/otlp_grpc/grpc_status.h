// GrpcStatus: the result of a call, converted from the response to POST /v1/metrics, and to
// trailers. Pure functions.
//
// Source: gRPC over HTTP2 (the project's PROTOCOL-HTTP2.md), "Responses".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/http/http.h"

namespace lockstep::server {

enum class GrpcCode : uint8_t {
  kOk = 0,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kUnauthenticated = 16,
};
inline constexpr size_t kGrpcCodeCount = 17;

struct GrpcStatus {
  GrpcCode code = GrpcCode::kOk;
  std::string message{};
  std::string details{};  // a google.rpc.Status; "" for none

  bool ok() const { return code == GrpcCode::kOk; }
};

// OK for 200, with the body as the response message. Senders retry only responses with Retry-After.
GrpcStatus StatusOf(const api::Response& response);

// Tells the client to retry the call after that time, with a RetryInfo.
GrpcStatus RetryLater(GrpcCode code, std::string message, int64_t after_seconds);
// The same when other calls have filled a limit: UNAVAILABLE.
GrpcStatus Busy(std::string message);

// "OK", "RESOURCE_EXHAUSTED".
std::string_view NameOf(GrpcCode code);

// grpc-status, with the message and details if present.
std::vector<api::Header> TrailersOf(const GrpcStatus& status);

}  // namespace lockstep::server
