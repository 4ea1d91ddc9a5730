#include "server/otlp_grpc/answer.h"

#include <charconv>
#include <iterator>

#include "ingest/otlp/export_response.h"

namespace lockstep::server {
namespace {

constexpr std::string_view kProtobufType = "application/x-protobuf";

grpc::StatusCode CodeOf(int http_status) {
  switch (http_status) {
    case 400:
    case 415:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case 403:
      return grpc::StatusCode::PERMISSION_DENIED;
    case 413:
    case 429:
      return grpc::StatusCode::RESOURCE_EXHAUSTED;
    case 503:
      return grpc::StatusCode::UNAVAILABLE;
    default:
      return grpc::StatusCode::INTERNAL;
  }
}

// 0: not at all.
int64_t RetryAfterSeconds(const api::Response& response) {
  int64_t seconds = 0;
  for (const api::Header& header : response.headers) {
    if (header.name != "Retry-After") continue;
    std::from_chars(header.value.data(), header.value.data() + header.value.size(), seconds);
  }
  return seconds;
}

}  // namespace

grpc::Status StatusOf(const api::Response& response) {
  if (response.status == 200) return grpc::Status::OK;
  const std::string message =
      response.content_type == kProtobufType ? otlp::MessageOfStatus(response.body) : response.body;
  const grpc::StatusCode code = CodeOf(response.status);
  const int64_t after_seconds = RetryAfterSeconds(response);
  if (after_seconds == 0) return grpc::Status(code, message);
  return ComeAgain(code, message, after_seconds);
}

grpc::Status ComeAgain(grpc::StatusCode code, const std::string& message, int64_t after_seconds) {
  return grpc::Status(
      code, message, otlp::StatusWithRetryInfo(static_cast<int32_t>(code), message, after_seconds));
}

std::string_view NameOf(grpc::StatusCode code) {
  static constexpr std::string_view kNames[] = {"OK",
                                                "CANCELLED",
                                                "UNKNOWN",
                                                "INVALID_ARGUMENT",
                                                "DEADLINE_EXCEEDED",
                                                "NOT_FOUND",
                                                "ALREADY_EXISTS",
                                                "PERMISSION_DENIED",
                                                "RESOURCE_EXHAUSTED",
                                                "FAILED_PRECONDITION",
                                                "ABORTED",
                                                "OUT_OF_RANGE",
                                                "UNIMPLEMENTED",
                                                "INTERNAL",
                                                "UNAVAILABLE",
                                                "DATA_LOSS",
                                                "UNAUTHENTICATED"};
  const auto number = static_cast<size_t>(code);
  return number < std::size(kNames) ? kNames[number] : "UNKNOWN";
}

}  // namespace lockstep::server
