#include "api/query/active_queries_handlers.h"

#include "absl/strings/str_format.h"
#include "api/http/params.h"
#include "api/http/reply.h"
#include "api/query/query_stats_json.h"
#include "base/text/float_format.h"

namespace lockstep::api {
namespace {

void WriteQuery(JsonWriter& json, const ActiveQuery& query) {
  json.BeginObject();
  json.Field("id", query.id);
  json.Field("path", query.description.path);
  json.Field("query", query.description.text);
  json.Field("user", query.description.user);
  json.Field("client", query.description.client);
  json.Field("state", query.is_running ? "running" : "waiting");
  json.Key("start");
  AppendTimestamp(json.Raw(), query.description.start_ms);
  json.Field("ageSeconds", query.age_seconds);
  json.Field("samplesRead", query.samples_read);
  json.Field("peakMemoryBytes", query.peak_samples * kBytesPerChargedSample);
  json.EndObject();
}

}  // namespace

Response HandleActiveQueries(const ActiveQueries& queries) {
  return SuccessReply([&](JsonWriter& json) {
    json.BeginArray();
    for (const ActiveQuery& query : queries.List()) WriteQuery(json, query);
    json.EndArray();
  });
}

Response HandleCancelQuery(const Call& call, ActiveQueries& queries) {
  const auto id = ParseInteger(call.path_parameter);
  if (!id.ok() || *id < 1) {
    return ErrorReply(ErrorType::kBadData,
                      absl::StrFormat("\"%s\" is not a query number", call.path_parameter));
  }
  if (queries.Cancel(static_cast<uint64_t>(*id))) return NoContentReply();
  return ErrorReply(ErrorType::kNotFound, absl::StrFormat("query %d is not active", *id));
}

}  // namespace lockstep::api
