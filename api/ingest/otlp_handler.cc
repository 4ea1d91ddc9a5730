#include "api/ingest/otlp_handler.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/http/content_type.h"
#include "api/ingest/job_binding.h"
#include "api/ingest/write_failure.h"
#include "ingest/otlp/export_response.h"

namespace lockstep::api {
namespace {

constexpr std::string_view kProtobufType = "application/x-protobuf";
constexpr std::string_view kJsonType = "application/json";

std::optional<otlp::Encoding> EncodingOf(const ContentType& type) {
  if (type.Is(kProtobufType)) return otlp::Encoding::kProtobuf;
  if (type.Is(kJsonType)) return otlp::Encoding::kJson;
  return std::nullopt;
}

Response OtlpResponse(otlp::Encoding encoding, int status, std::string body) {
  Response response;
  response.status = status;
  response.content_type =
      std::string(encoding == otlp::Encoding::kProtobuf ? kProtobufType : kJsonType);
  response.body = std::move(body);
  return response;
}

Response OtlpError(otlp::Encoding encoding, int http_status, const absl::Status& status) {
  // Abseil's codes equal those of google.rpc.Code.
  return OtlpResponse(
      encoding, http_status,
      otlp::StatusResponse(encoding, static_cast<int32_t>(status.code()), Message(status)));
}

Response OtlpReply(otlp::Encoding encoding, const absl::StatusOr<WriteSummary>& result) {
  if (!result.ok()) {
    const WriteFailure failure = WriteFailureOf(result.status());
    Response response = OtlpError(encoding, failure.http_status, result.status());
    if (!failure.retry_after_seconds.empty()) {
      response.headers.push_back({"Retry-After", failure.retry_after_seconds});
    }
    return response;
  }
  const Refusals& refusals = result->refusals;
  return OtlpResponse(encoding, 200,
                      otlp::ExportResponse(encoding, refusals.sample_count(),
                                           refusals.empty() ? "" : refusals.ToString()));
}

}  // namespace

void HandleOtlpMetrics(const Request& request, otlp::MetricsDecoder& decoder, Ingester& ingester,
                       Respond respond) {
  const std::string_view type = request.header("Content-Type");
  const std::optional<otlp::Encoding> encoding = EncodingOf(ContentType(type));
  if (!encoding.has_value()) {
    return respond(OtlpError(otlp::Encoding::kProtobuf, 415,
                             absl::InvalidArgumentError(absl::StrFormat(
                                 "unsupported Content-Type \"%s\"; expected %s or %s", type,
                                 kProtobufType, kJsonType))));
  }
  const std::string_view name = request.header("Content-Encoding");
  const std::optional<BodyEncoding> body_encoding =
      name.empty() ? BodyEncoding::kIdentity : ParseBodyEncoding(name);
  if (!body_encoding.has_value()) {
    return respond(OtlpError(
        *encoding, 415,
        absl::InvalidArgumentError(absl::StrFormat(
            "unsupported Content-Encoding \"%s\"; expected gzip, deflate, zstd, snappy or identity",
            name))));
  }
  const auto decode = [&](std::string_view message, const IngestLimits& limits,
                          const Storage* storage) {
    return *encoding == otlp::Encoding::kProtobuf ? decoder.DecodeProtobuf(message, limits, storage)
                                                  : decoder.DecodeJson(message, limits);
  };
  const auto decode_for_jobs = [&](std::string_view message, const IngestLimits& limits,
                                   const Storage* storage) {
    return DecodeForJobs(request.grant.jobs, decode, message, limits, storage);
  };
  ingester.Write(
      ClientOf(request), *body_encoding, request.body, decode_for_jobs,
      [encoding = *encoding, respond = std::move(respond)](
          absl::StatusOr<WriteSummary> result) mutable { respond(OtlpReply(encoding, result)); });
}

}  // namespace lockstep::api
