#include "api/ingest/write_handler.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/http/content_type.h"
#include "api/http/reply.h"
#include "api/ingest/job_binding.h"
#include "api/ingest/write_body.h"
#include "api/ingest/write_failure.h"
#include "ingest/remote_write/remote_write.h"
#include "ingest/remote_write/remote_write_v2.h"

namespace lockstep::api {
namespace {

enum class RemoteWriteVersion { k1, k2 };

Response FailedWrite(const absl::Status& status) {
  WriteFailure failure = WriteFailureOf(status);
  Response response = TextReply(failure.http_status, Message(status));
  if (!failure.retry_after_seconds.empty()) {
    response.headers.push_back({"Retry-After", std::move(failure.retry_after_seconds)});
  }
  return response;
}

// The text about rejected data for senders of versions 1.0 and 2.0. Exemplars that cannot be stored
// do not make a 1.0 request fail.
std::string ToldRefusals(const WriteSummary& summary, RemoteWriteVersion version) {
  std::string text;
  if (!summary.refusals.empty()) text = summary.refusals.ToString();
  if (version == RemoteWriteVersion::k2 && !summary.exemplar_refusals.empty()) {
    text += summary.exemplar_refusals.ToString();
  }
  return text;
}

Response WriteReply(const absl::StatusOr<WriteSummary>& result, RemoteWriteVersion version) {
  if (!result.ok()) return FailedWrite(result.status());
  std::string refusals = ToldRefusals(*result, version);
  if (refusals.empty()) return NoContentReply();
  Response response;
  response.status = 400;
  response.body = std::move(refusals);
  return response;
}

// Senders of version 2.0 expect these headers with any response.
void AddWrittenHeaders(const absl::StatusOr<WriteSummary>& result, Response& response) {
  const auto add = [&](std::string_view what, uint64_t count) {
    response.headers.push_back(
        {absl::StrFormat("X-Prometheus-Remote-Write-%s-Written", what), std::to_string(count)});
  };
  add("Samples", result.ok() ? result->samples_written : 0);
  add("Histograms", result.ok() ? result->histograms_written : 0);
  add("Exemplars", result.ok() ? result->exemplars_written : 0);
}

// The version of the message that the header names, or an error if it is unsupported. A missing
// header, or one that names no message, means remote write 1.0.
absl::StatusOr<RemoteWriteVersion> VersionOf(std::string_view header) {
  constexpr std::string_view kProtobuf = "application/x-protobuf";
  if (header.empty()) return RemoteWriteVersion::k1;
  const ContentType type(header);
  if (!type.Is(kProtobuf)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("unsupported Content-Type \"%s\"; expected %s", header, kProtobuf));
  }
  const std::string_view message = type.Parameter("proto");
  if (message.empty() || message == "prometheus.WriteRequest") return RemoteWriteVersion::k1;
  if (message == "io.prometheus.write.v2.Request") return RemoteWriteVersion::k2;
  return absl::InvalidArgumentError(
      absl::StrFormat("unsupported message type \"%s\"; expected prometheus.WriteRequest or "
                      "io.prometheus.write.v2.Request",
                      message));
}

}  // namespace

void HandleRemoteWrite(const Request& request, Ingester& ingester, Respond respond) {
  const absl::StatusOr<RemoteWriteVersion> version = VersionOf(request.header("Content-Type"));
  if (!version.ok()) return respond(TextReply(415, Message(version.status())));
  const std::string_view name = request.header("Content-Encoding");
  const std::optional<BodyEncoding> encoding =
      name.empty() ? GuessBodyEncoding(request.body) : ParseBodyEncoding(name);
  if (!encoding.has_value()) {
    return respond(TextReply(
        415,
        absl::StrFormat(
            "unsupported Content-Encoding \"%s\"; expected snappy, zstd, gzip or identity", name)));
  }
  const auto decode = [&](std::string_view message, const IngestLimits& limits,
                          const Storage* storage) {
    const auto decode_version =
        *version == RemoteWriteVersion::k2 ? DecodeRemoteWriteV2 : DecodeRemoteWrite;
    return DecodeForJobs(request.grant.jobs, decode_version, message, limits, storage);
  };
  ingester.Write(ClientOf(request), *encoding, request.body, decode,
                 [version = *version,
                  respond = std::move(respond)](absl::StatusOr<WriteSummary> result) mutable {
                   Response response = WriteReply(result, version);
                   if (version == RemoteWriteVersion::k2) AddWrittenHeaders(result, response);
                   if (result.ok()) AddFates(*result, response);
                   respond(std::move(response));
                 });
}

}  // namespace lockstep::api
