#include "api/write_handler.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/content_type.h"
#include "api/job_binding.h"
#include "api/reply.h"
#include "api/write_body.h"
#include "api/write_failure.h"
#include "ingest/remote_write.h"
#include "ingest/remote_write_v2.h"

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

// What a sender of 1.0 or 2.0 is told of what was not written. Exemplars that cannot be kept are no failure of
// a request of 1.0.
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

// Which a sender of 2.0 wants whatever came of its request.
void AddWrittenHeaders(const absl::StatusOr<WriteSummary>& result, Response& response) {
  const auto add = [&](std::string_view what, uint64_t count) {
    response.headers.push_back(
        {absl::StrFormat("X-Prometheus-Remote-Write-%s-Written", what), std::to_string(count)});
  };
  add("Samples", result.ok() ? result->samples_written : 0);
  add("Histograms", result.ok() ? result->histograms_written : 0);
  add("Exemplars", result.ok() ? result->exemplars_written : 0);
}

// The version whose message the header names, or why it is none that we read. A missing header, and one
// that names no message, mean remote write 1.0.
absl::StatusOr<RemoteWriteVersion> VersionOf(std::string_view header) {
  constexpr std::string_view kProtobuf = "application/x-protobuf";
  if (header.empty()) return RemoteWriteVersion::k1;
  const ContentType type(header);
  if (!type.Is(kProtobuf)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("Content-Type is \"%s\"; this path reads %s", header, kProtobuf));
  }
  const std::string_view message = type.Parameter("proto");
  if (message.empty() || message == "prometheus.WriteRequest") return RemoteWriteVersion::k1;
  if (message == "io.prometheus.write.v2.Request") return RemoteWriteVersion::k2;
  return absl::InvalidArgumentError(absl::StrFormat(
      "the message \"%s\" is none that this path reads: prometheus.WriteRequest and "
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
        415, absl::StrFormat("Content-Encoding is \"%s\"; this path reads snappy, zstd, gzip and "
                             "identity",
                             name)));
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
