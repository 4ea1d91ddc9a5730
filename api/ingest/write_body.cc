#include "api/ingest/write_body.h"

#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/http/form.h"
#include "api/ingest/job_binding.h"
#include "ingest/write/body_encoding.h"

namespace lockstep::api {

void WriteBody(const Request& request, Ingester& ingester, DecodeMessage decode,
               Ingester::Done done) {
  const std::string_view name = request.header("Content-Encoding");
  const std::optional<BodyEncoding> encoding =
      name.empty() ? BodyEncoding::kIdentity : ParseBodyEncoding(name);
  if (!encoding.has_value()) {
    return done(absl::UnimplementedError(absl::StrFormat(
        "unsupported Content-Encoding \"%s\"; expected gzip, deflate, zstd, snappy or identity",
        name)));
  }
  const auto decode_for_jobs = [&](std::string_view message, const IngestLimits& limits,
                                   const Storage* storage) {
    return DecodeForJobs(request.grant.jobs, decode, message, limits, storage);
  };
  ingester.Write(ClientOf(request), *encoding, request.body, decode_for_jobs, std::move(done));
}

WriteFailure BodyFailureOf(const absl::Status& status) {
  if (absl::IsUnimplemented(status)) return {415, ""};
  return WriteFailureOf(status);
}

Response WithRetry(Response response, const WriteFailure& failure) {
  response.status = failure.http_status;
  if (!failure.retry_after_seconds.empty()) {
    response.headers.push_back({"Retry-After", failure.retry_after_seconds});
  }
  return response;
}

void AddFates(const WriteSummary& summary, Response& response) {
  response.headers.push_back(
      {"X-Lockstep-Samples",
       absl::StrFormat("new=%d, duplicate=%d, overwritten=%d", summary.new_samples,
                       summary.duplicate_samples, summary.overwritten_samples)});
}

Form UrlParametersOf(const Request& request) {
  Request bare;
  bare.target = request.target;
  return Form::Of(bare);
}

}  // namespace lockstep::api
