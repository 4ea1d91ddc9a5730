#include "server/otlp_grpc/grpc_status.h"

#include <charconv>
#include <iterator>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "ingest/otlp/export_response.h"

namespace lockstep::server {
namespace {

constexpr std::string_view kProtobufType = "application/x-protobuf";
constexpr int64_t kRetryAfterSeconds = 5;
// Clients accept little more than this in all trailers together.
constexpr size_t kMaxMessageBytes = 2048;

GrpcCode CodeOf(int http_status) {
  switch (http_status) {
    case 400:
    case 415:
      return GrpcCode::kInvalidArgument;
    case 403:
      return GrpcCode::kPermissionDenied;
    case 413:
    case 429:
      return GrpcCode::kResourceExhausted;
    case 503:
      return GrpcCode::kUnavailable;
    default:
      return GrpcCode::kInternal;
  }
}

// 0: do not retry.
int64_t RetryAfterSeconds(const api::Response& response) {
  int64_t seconds = 0;
  for (const api::Header& header : response.headers) {
    if (header.name != "Retry-After") continue;
    std::from_chars(header.value.data(), header.value.data() + header.value.size(), seconds);
  }
  return seconds;
}

// Keeps printable ASCII except '%'.
std::string PercentEncoded(std::string_view text) {
  std::string encoded;
  for (const char byte : text) {
    if (byte >= ' ' && byte <= '~' && byte != '%') {
      encoded += byte;
    } else {
      encoded += absl::StrFormat("%%%02X", static_cast<unsigned char>(byte));
    }
  }
  return encoded;
}

}  // namespace

GrpcStatus StatusOf(const api::Response& response) {
  if (response.status == 200) return {};
  std::string message =
      response.content_type == kProtobufType ? otlp::MessageOfStatus(response.body) : response.body;
  const GrpcCode code = CodeOf(response.status);
  const int64_t after_seconds = RetryAfterSeconds(response);
  if (after_seconds == 0) return {code, std::move(message)};
  return RetryLater(code, std::move(message), after_seconds);
}

GrpcStatus RetryLater(GrpcCode code, std::string message, int64_t after_seconds) {
  std::string details =
      otlp::StatusWithRetryInfo(static_cast<int32_t>(code), message, after_seconds);
  return {code, std::move(message), std::move(details)};
}

GrpcStatus Busy(std::string message) {
  return RetryLater(GrpcCode::kUnavailable, std::move(message), kRetryAfterSeconds);
}

std::string_view NameOf(GrpcCode code) {
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
  static_assert(std::size(kNames) == kGrpcCodeCount);
  return kNames[static_cast<size_t>(code)];
}

std::vector<api::Header> TrailersOf(const GrpcStatus& status) {
  std::vector<api::Header> trailers;
  trailers.push_back({"grpc-status", absl::StrFormat("%d", static_cast<int>(status.code))});
  const std::string_view message = std::string_view(status.message).substr(0, kMaxMessageBytes);
  if (!message.empty()) trailers.push_back({"grpc-message", PercentEncoded(message)});
  if (!status.details.empty() && status.message.size() <= kMaxMessageBytes) {
    trailers.push_back({"grpc-status-details-bin", absl::Base64Escape(status.details)});
  }
  return trailers;
}

}  // namespace lockstep::server
