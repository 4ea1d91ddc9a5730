#include "api/ingest/datadog_handlers.h"

#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "api/http/content_type.h"
#include "api/http/json_writer.h"
#include "api/ingest/write_body.h"
#include "ingest/json/datadog_payload.h"
#include "ingest/json/datadog_series.h"

namespace lockstep::api {
namespace {

Response DatadogErrors(int http_status, std::string_view text) {
  Response response;
  response.status = http_status;
  response.content_type = "application/json";
  JsonWriter json(response.body);
  json.BeginObject();
  json.Key("errors");
  json.BeginArray();
  json.String(text);
  json.EndArray();
  json.EndObject();
  return response;
}

Response DatadogReply(const absl::StatusOr<WriteSummary>& result) {
  if (!result.ok()) {
    const WriteFailure failure = BodyFailureOf(result.status());
    return WithRetry(DatadogErrors(failure.http_status, Message(result.status())), failure);
  }
  Response response;
  if (result->refusals.empty()) {
    response.status = 202;
    response.content_type = "application/json";
    response.body = R"({"status":"ok"})";
  } else {
    response = DatadogErrors(400, result->refusals.ToString());
  }
  AddFates(*result, response);
  return response;
}

bool IsProtobuf(std::string_view type) {
  return ContentType(type).Is("application/x-protobuf") ||
         ContentType(type).Is("application/protobuf");
}

}  // namespace

void HandleDatadogSeries(const Request& request, Ingester& ingester, int64_t now_ms,
                         Respond respond) {
  const std::string_view type = request.header("Content-Type");
  const bool is_protobuf = IsProtobuf(type);
  if (!type.empty() && !is_protobuf && !ContentType(type).Is("application/json")) {
    return respond(DatadogErrors(
        415,
        absl::StrFormat(
            "unsupported Content-Type \"%s\"; expected application/json or application/x-protobuf",
            type)));
  }
  const auto decode = [now_ms, is_protobuf](std::string_view body, const IngestLimits& limits,
                                            const Storage*) {
    return is_protobuf ? json::DecodeDatadogPayload(body, now_ms, limits)
                       : json::DecodeDatadogSeries(body, now_ms, limits);
  };
  WriteBody(request, ingester, decode,
            [respond = std::move(respond)](const absl::StatusOr<WriteSummary>& result) mutable {
              respond(DatadogReply(result));
            });
}

Response HandleDatadogSketches() {
  // The agent retries any other status.
  return DatadogErrors(400, "sketches of distributions are not supported; send series instead");
}

Response HandleDatadogIntake() {
  Response response;
  response.content_type = "application/json";
  response.body = "{}";
  return response;
}

Response HandleDatadogCheckRun() {
  Response response = HandleDatadogIntake();
  response.status = 202;
  response.body = R"({"status":"ok"})";
  return response;
}

Response HandleDatadogValidate() {
  Response response;
  response.content_type = "application/json";
  response.body = R"({"valid":true})";
  return response;
}

}  // namespace lockstep::api
