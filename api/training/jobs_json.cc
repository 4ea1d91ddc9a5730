#include "api/training/jobs_json.h"

#include <optional>
#include <set>
#include <string>

#include "api/http/params.h"
#include "api/training/training_json.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

constexpr int64_t kUsualSpanMs = int64_t{30} * 24 * 3600 * 1000;

std::optional<int64_t> Known(int64_t number) {
  return number > 0 ? std::optional(number) : std::nullopt;
}

void WriteAttempts(JsonWriter& json, const std::vector<answers::AttemptSpan>& attempts) {
  json.Key("attempts");
  json.BeginArray();
  for (size_t i = 0; i < attempts.size(); ++i) {
    json.BeginObject();
    json.Field("attempt", i);
    WriteTimeRange(json, attempts[i].time);
    json.Field("first_step", attempts[i].first_step);
    json.Field("last_step", attempts[i].last_step);
    json.EndObject();
  }
  json.EndArray();
}

void WriteRanks(JsonWriter& json, const answers::ListedJob& job) {
  json.Key("ranks");
  json.BeginArray();
  for (size_t row = 0; row < job.job.ranks.size(); ++row) {
    json.BeginObject();
    WritePlace(json, job.job.ranks[row]);
    json.Field("model", job.gpu_models[row]);
    json.Field("stage", job.job.ranks[row].stage);
    json.EndObject();
  }
  json.EndArray();
}

void WriteDevices(JsonWriter& json, const answers::ListedJob& job) {
  std::set<std::string> hosts;
  for (const training::RankPlace& place : job.job.ranks) hosts.insert(place.host);
  hosts.erase("");
  std::set<std::string> models(job.gpu_models.begin(), job.gpu_models.end());
  models.erase("");
  json.Field("hosts", hosts);
  json.Field("gpus", training::GpuCount(job.job));
  json.Field("gpu_models", models);
}

void WriteParallelism(JsonWriter& json, const training::Parallelism& parts) {
  json.Key("parallelism");
  json.BeginObject();
  json.Field("data", Known(parts.data));
  json.Field("tensor", parts.tensor);
  json.Field("pipeline", parts.pipeline);
  json.Field("context", parts.context);
  json.Field("micro_batch", Known(parts.micro_batch));
  json.Field("global_batch", Known(parts.global_batch));
  json.EndObject();
}

void WriteSignals(JsonWriter& json, const answers::JobSignals& signals) {
  json.Key("signals");
  json.BeginObject();
  json.Field("steps", signals.steps);
  json.Field("phases", signals.phases);
  json.Field("devices", signals.devices);
  json.EndObject();
}

}  // namespace

absl::StatusOr<answers::JobListQuery> JobListQueryOf(const Form& form, int64_t now_ms) {
  answers::JobListQuery query{.name = std::string(form.Get("job")), .now_ms = now_ms};
  LOCKSTEP_ASSIGN_OR_RETURN(query.time, ParseTimeRange(form.Get("start"), form.Get("end")));
  if (form.Get("start").empty() && query.name.empty()) {
    query.time.min_ms = (form.Get("end").empty() ? now_ms : query.time.max_ms) - kUsualSpanMs;
  }
  LOCKSTEP_ASSIGN_OR_RETURN(query.exclude_verdicts, ParseBool(form.Get("exclude_verdicts")));
  return query;
}

void WriteJob(JsonWriter& json, const answers::ListedJob& job) {
  json.BeginObject();
  json.Field("job", job.job.name);
  json.Field("state", Name(job.condition.state));
  json.Field("state_reason", Name(job.condition.reason));
  const int64_t since_ms = job.condition.since_ms;
  json.Field("state_since", since_ms == 0 ? training::kUnknown : UnixSeconds(since_ms));
  if (job.verdict.has_value()) WriteVerdict(json, job.job, *job.verdict);
  WriteTimeRange(json, job.time);
  const bool has_steps = !job.attempts.empty();
  json.Field("first_step",
             has_steps ? std::optional(job.attempts.front().first_step) : std::nullopt);
  json.Field("last_step", has_steps ? std::optional(job.attempts.back().last_step) : std::nullopt);
  json.Field("world_size", job.world_size);
  WriteAttempts(json, job.attempts);
  WriteRanks(json, job);
  WriteDevices(json, job);
  WriteParallelism(json, job.facts.parallelism);
  WriteSignals(json, job.signals);
  json.Field("warnings", job.warnings);
  json.EndObject();
}

void WriteJobs(JsonWriter& json, const std::vector<answers::ListedJob>& jobs) {
  json.BeginObject();
  json.Key("jobs");
  json.BeginArray();
  for (const answers::ListedJob& job : jobs) WriteJob(json, job);
  json.EndArray();
  json.EndObject();
}

}  // namespace lockstep::api
