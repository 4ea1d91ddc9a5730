#include "api/write_handler.h"

#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/reply.h"
#include "ingest/rate_limit.h"

namespace lockstep::api {
namespace {

constexpr std::string_view kRetryAfterSeconds = "5";

Response RetryLater(int status, std::string_view text, std::string seconds) {
  Response response = TextReply(status, text);
  response.headers.push_back({"Retry-After", std::move(seconds)});
  return response;
}

Response FailedWrite(const absl::Status& status) {
  const std::string_view text = Message(status);
  if (const auto wait = RetryAfter(status)) {
    return RetryLater(429, text, std::to_string(wait->count()));
  }
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return TextReply(400, text);
    case absl::StatusCode::kOutOfRange:
      return TextReply(413, text);
    case absl::StatusCode::kPermissionDenied:
      return TextReply(403, text);
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnavailable:
      return RetryLater(503, text, std::string(kRetryAfterSeconds));
    default:
      return TextReply(500, text);
  }
}

Response WriteReply(const absl::StatusOr<Refusals>& result) {
  if (!result.ok()) return FailedWrite(result.status());
  if (result->empty()) return NoContentReply();
  Response response;
  response.status = 400;
  response.body = result->ToString();
  return response;
}

// Why the body is none that we read, if so. A missing header counts as remote write 1.0.
std::optional<Response> CheckContentType(std::string_view content_type) {
  constexpr std::string_view kProtobuf = "application/x-protobuf";
  if (content_type.empty()) return std::nullopt;
  if (!content_type.starts_with(kProtobuf)) {
    return TextReply(415, absl::StrFormat("Content-Type is \"%s\"; this path reads %s",
                                          content_type, kProtobuf));
  }
  if (content_type.find("io.prometheus.write.v2.Request") != std::string_view::npos) {
    return TextReply(415,
                     "this server reads remote write 1.0 (prometheus.WriteRequest), not 2.0 "
                     "(io.prometheus.write.v2.Request)");
  }
  return std::nullopt;
}

}  // namespace

void HandleRemoteWrite(const Request& request, Ingester& ingester, Respond respond) {
  if (auto refusal = CheckContentType(request.header("Content-Type"))) {
    return respond(*std::move(refusal));
  }
  const std::string_view name = request.header("Content-Encoding");
  const std::optional<BodyEncoding> encoding =
      name.empty() ? GuessBodyEncoding(request.body) : ParseBodyEncoding(name);
  if (!encoding.has_value()) {
    return respond(TextReply(
        415, absl::StrFormat("Content-Encoding is \"%s\"; this path reads snappy, zstd, gzip and "
                             "identity",
                             name)));
  }
  ingester.RemoteWrite(*encoding, request.body,
                       [respond = std::move(respond)](absl::StatusOr<Refusals> result) mutable {
                         respond(WriteReply(result));
                       });
}

}  // namespace lockstep::api
