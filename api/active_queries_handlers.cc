#include "api/active_queries_handlers.h"

#include "absl/strings/str_format.h"
#include "api/params.h"
#include "api/query_stats_json.h"
#include "api/reply.h"
#include "base/float_format.h"

namespace lockstep::api {
namespace {

void WriteQuery(JsonWriter& json, const ActiveQuery& query) {
  const auto text = [&](std::string_view key, std::string_view value) {
    json.Key(key);
    json.String(value);
  };
  json.BeginObject();
  json.Key("id");
  json.Number(query.id);
  text("path", query.description.path);
  text("query", query.description.text);
  text("user", query.description.user);
  text("client", query.description.client);
  text("state", query.is_running ? "running" : "waiting");
  json.Key("start");
  AppendTimestamp(json.Raw(), query.description.start_ms);
  json.Key("ageSeconds");
  json.Number(query.age_seconds);
  json.Key("samplesRead");
  json.Number(query.samples_read);
  json.Key("peakMemoryBytes");
  json.Number(query.peak_samples * kBytesPerChargedSample);
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
                      absl::StrFormat("\"%s\" is not the number of a query", call.path_parameter));
  }
  if (queries.Cancel(static_cast<uint64_t>(*id))) return NoContentReply();
  return ErrorReply(ErrorType::kNotFound,
                    absl::StrFormat("query %d is not active (any more)", *id));
}

}  // namespace lockstep::api
