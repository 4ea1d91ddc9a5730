#include "api/jobs_json.h"

#include <optional>
#include <set>
#include <string>

#include "api/params.h"
#include "api/training_json.h"
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
    json.Key("attempt");
    json.Number(i);
    WriteTimeRange(json, attempts[i].time);
    WriteIntegerField(json, "first_step", attempts[i].first_step);
    WriteIntegerField(json, "last_step", attempts[i].last_step);
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
    WriteTextField(json, "model", job.gpu_models[row]);
    json.Key("stage");
    json.Number(job.job.ranks[row].stage);
    json.EndObject();
  }
  json.EndArray();
}

void WriteSet(JsonWriter& json, std::string_view key, const std::set<std::string>& texts) {
  json.Key(key);
  json.BeginArray();
  for (const std::string& text : texts) {
    if (!text.empty()) json.String(text);
  }
  json.EndArray();
}

void WriteDevices(JsonWriter& json, const answers::ListedJob& job) {
  std::set<std::string> hosts;
  for (const training::RankPlace& place : job.job.ranks) hosts.insert(place.host);
  WriteSet(json, "hosts", hosts);
  json.Key("gpus");
  json.Number(training::GpuCount(job.job));
  WriteSet(json, "gpu_models", {job.gpu_models.begin(), job.gpu_models.end()});
}

void WriteParallelism(JsonWriter& json, const training::Parallelism& parts) {
  json.Key("parallelism");
  json.BeginObject();
  WriteIntegerField(json, "data", Known(parts.data));
  WriteIntegerField(json, "tensor", parts.tensor);
  WriteIntegerField(json, "pipeline", parts.pipeline);
  WriteIntegerField(json, "context", parts.context);
  WriteIntegerField(json, "micro_batch", Known(parts.micro_batch));
  WriteIntegerField(json, "global_batch", Known(parts.global_batch));
  json.EndObject();
}

void WriteSignals(JsonWriter& json, const answers::JobSignals& signals) {
  json.Key("signals");
  json.BeginObject();
  WriteFlagField(json, "steps", signals.steps);
  WriteFlagField(json, "phases", signals.phases);
  WriteFlagField(json, "devices", signals.devices);
  json.EndObject();
}

}  // namespace

absl::StatusOr<answers::JobListQuery> JobListQueryOf(const Form& form, int64_t now_ms) {
  answers::JobListQuery query{.name = std::string(form.Get("job")), .now_ms = now_ms};
  LOCKSTEP_ASSIGN_OR_RETURN(query.time, ParseTimeRange(form.Get("start"), form.Get("end")));
  if (form.Get("start").empty() && query.name.empty()) {
    query.time.min_ms = (form.Get("end").empty() ? now_ms : query.time.max_ms) - kUsualSpanMs;
  }
  return query;
}

void WriteJob(JsonWriter& json, const answers::ListedJob& job) {
  json.BeginObject();
  WriteTextField(json, "job", job.job.name);
  WriteTextField(json, "state", Name(job.condition.state));
  WriteTextField(json, "state_reason", Name(job.condition.reason));
  const int64_t since_ms = job.condition.since_ms;
  WriteNumberField(json, "state_since",
                   since_ms == 0 ? training::kUnknown : static_cast<double>(since_ms) / 1000);
  if (job.verdict.has_value()) WriteVerdict(json, job.job, *job.verdict);
  WriteTimeRange(json, job.time);
  const bool has_steps = !job.attempts.empty();
  WriteIntegerField(json, "first_step",
                    has_steps ? std::optional(job.attempts.front().first_step) : std::nullopt);
  WriteIntegerField(json, "last_step",
                    has_steps ? std::optional(job.attempts.back().last_step) : std::nullopt);
  WriteIntegerField(json, "world_size", job.world_size);
  WriteAttempts(json, job.attempts);
  WriteRanks(json, job);
  WriteDevices(json, job);
  WriteParallelism(json, job.facts.parallelism);
  WriteSignals(json, job.signals);
  WriteTextsField(json, "warnings", job.warnings);
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
