#include "api/ingest/influx_handlers.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_format.h"
#include "api/http/form.h"
#include "api/http/json_writer.h"
#include "api/ingest/write_body.h"
#include "ingest/influx/influx_request.h"

namespace lockstep::api {
namespace {

// The latest InfluxDB version whose protocol is fully covered here; clients check for it.
constexpr std::string_view kInfluxVersion = "1.8.10";

// InfluxDB 2's name for the error.
std::string_view CodeOf(int http_status) {
  switch (http_status) {
    case 400:
      return "invalid";
    case 403:
      return "forbidden";
    case 413:
      return "request too large";
    case 415:
      return "unsupported media type";
    case 429:
      return "too many requests";
    case 503:
      return "unavailable";
    default:
      return "internal error";
  }
}

Response InfluxError(InfluxVersion version, int http_status, std::string_view text) {
  Response response;
  response.status = http_status;
  response.content_type = "application/json";
  JsonWriter json(response.body);
  json.BeginObject();
  if (version == InfluxVersion::k1) {
    json.Key("error");
  } else {
    json.Field("code", CodeOf(http_status));
    json.Key("message");
  }
  json.String(text);
  json.EndObject();
  return response;
}

Response WriteReply(const absl::StatusOr<WriteSummary>& result, InfluxVersion version) {
  if (!result.ok()) {
    const WriteFailure failure = BodyFailureOf(result.status());
    return WithRetry(InfluxError(version, failure.http_status, Message(result.status())), failure);
  }
  Response response;
  response.status = 204;
  if (const Refusals& refusals = result->refusals; !refusals.empty()) {
    response = InfluxError(version, 400,
                           absl::StrFormat("partial write: %s dropped=%d", refusals.ToString(),
                                           refusals.sample_count()));
  }
  AddFates(*result, response);
  return response;
}

}  // namespace

void HandleInfluxWrite(const Request& request, InfluxVersion version, Ingester& ingester,
                       int64_t now_ms, Respond respond) {
  const Form form = UrlParametersOf(request);
  const auto precision = influx::ParsePrecision(form.Get("precision"));
  if (!precision.has_value()) {
    return respond(InfluxError(
        version, 400,
        absl::StrFormat("invalid parameter \"precision\": \"%s\" is not one of ns, us, ms, s, m, h",
                        form.Get("precision"))));
  }
  const influx::LineTerms terms{*precision, std::string(form.Get("db")), now_ms};
  const auto decode = [&terms](std::string_view body, const IngestLimits& limits, const Storage*) {
    return influx::DecodeLines(body, terms, limits);
  };
  WriteBody(
      request, ingester, decode,
      [version, respond = std::move(respond)](const absl::StatusOr<WriteSummary>& result) mutable {
        respond(WriteReply(result, version));
      });
}

Response HandleInfluxPing() {
  Response response;
  response.status = 204;
  response.headers.push_back({"X-Influxdb-Version", std::string(kInfluxVersion)});
  return response;
}

Response HandleInfluxHealth() {
  Response response;
  response.content_type = "application/json";
  JsonWriter json(response.body);
  json.BeginObject();
  json.Field("name", "lockstep");
  json.Field("message", "ready for queries and writes");
  json.Field("status", "pass");
  json.Key("checks");
  json.BeginArray();
  json.EndArray();
  json.EndObject();
  return response;
}

Response HandleInfluxQuery(const Call& call) {
  const std::string statement = absl::AsciiStrToUpper(
      std::string(absl::StripAsciiWhitespace(std::string(call.form.Get("q")))));
  const bool changes_nothing =
      absl::StartsWith(statement, "CREATE ") || absl::StartsWith(statement, "SHOW DATABASES");
  Response response;
  response.content_type = "application/json";
  JsonWriter json(response.body);
  json.BeginObject();
  json.Key("results");
  json.BeginArray();
  json.BeginObject();
  json.Field("statement_id", 0);
  if (!changes_nothing) {
    json.Field("error", "InfluxQL is not supported; use PromQL at /api/v1/query");
  }
  json.EndObject();
  json.EndArray();
  json.EndObject();
  return response;
}

}  // namespace lockstep::api
