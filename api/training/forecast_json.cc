#include "api/training/forecast_json.h"

#include "api/training/training_json.h"
#include "api/training/training_params.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

using answers::JobForecast;

void WriteEnd(JsonWriter& json, const JobForecast& found) {
  const double as_of = UnixSeconds(found.as_of_ms);
  json.Key("end");
  json.BeginObject();
  json.Field("reason", found.reason);
  json.Field("steps_left", found.steps_left);
  json.Field("seconds_left", found.left.seconds);
  json.Field("earliest_seconds_left", found.left.earliest_seconds);
  json.Field("latest_seconds_left", found.left.latest_seconds);
  json.Field("time", as_of + found.left.seconds);
  json.Field("earliest_time", as_of + found.left.earliest_seconds);
  json.Field("latest_time", as_of + found.left.latest_seconds);
  json.Field("interruptions", found.left.interruptions);
  json.EndObject();
}

void WritePace(JsonWriter& json, const training::Pace& pace) {
  json.Key("pace");
  json.BeginObject();
  json.Field("steps", pace.steps);
  json.Field("seconds_per_step", pace.seconds_per_step);
  json.Field("fast_seconds_per_step", pace.fast);
  json.Field("slow_seconds_per_step", pace.slow);
  json.EndObject();
}

void WriteCost(JsonWriter& json, const JobForecast& found) {
  json.Key("cost");
  json.BeginObject();
  json.Field("price_per_gpu_hour", found.price_per_gpu_hour);
  json.Field("gpu_hours", found.gpu_hours);
  json.Field("gpu_hours_left", found.gpu_hours_left);
  json.Field("kwh", found.kwh);
  json.Field("kwh_left", found.kwh_left);
  json.Field("spent", found.Cost());
  json.Field("left", found.CostLeft());
  json.Field("total", found.Cost() + found.CostLeft());
  WriteCurrency(json, found.currency);
  json.EndObject();
}

void WriteMemory(JsonWriter& json, const JobForecast& found) {
  const training::MemoryHeadroom& memory = found.memory;
  json.Key("memory");
  if (!memory.row.has_value()) return json.Null();
  json.BeginObject();
  WritePlace(json, found.subject.job.ranks[*memory.row]);
  json.Field("capacity_bytes", memory.capacity_bytes);
  json.Field("peak_used_bytes", memory.peak_used_bytes);
  json.Field("peak_allocated_bytes", memory.peak_allocated_bytes);
  json.Field("headroom_bytes", memory.headroom_bytes);
  json.Field("headroom_ratio", memory.headroom_bytes / memory.capacity_bytes);
  json.Field("growth_bytes_per_second", memory.growth_bytes_per_second);
  json.Field("full_in_seconds", memory.full_in_seconds);
  json.EndObject();
}

void WriteCheckpoints(JsonWriter& json, const JobForecast& found) {
  json.Key("checkpoints");
  json.BeginObject();
  json.Field("count", found.checkpoints.count);
  json.Field("seconds_each", found.checkpoints.seconds);
  json.Field("interval_seconds", found.checkpoints.interval_seconds);
  json.Field("interval_steps", found.checkpoints.interval_steps);
  json.Field("best_interval_seconds", found.best_interval_seconds);
  json.Field("best_interval_steps", found.best_interval_steps);
  json.Field("lost_ratio", found.lost_share);
  json.Field("best_lost_ratio", found.best_lost_share);
  json.EndObject();
}

void WriteInterruptions(JsonWriter& json, const JobForecast& found) {
  const training::Interruptions& interruptions = found.interruptions;
  json.Key("interruptions");
  json.BeginObject();
  json.Field("count", interruptions.count);
  json.Field("mean_seconds_between", found.mean_seconds_between);
  json.Field("at_least_seconds_between", interruptions.at_least_seconds_between);
  json.Field("restart_seconds", interruptions.restart_seconds);
  json.EndObject();
}

}  // namespace

absl::StatusOr<answers::ForecastQuestion> ForecastQuestionOf(const Form& form,
                                                             const answers::Prices& defaults) {
  answers::ForecastQuestion question;
  answers::ForecastOptions& options = question.options;
  LOCKSTEP_RETURN_IF_ERROR(SetNumber(form, "total_steps", options.total_steps));
  LOCKSTEP_RETURN_IF_ERROR(SetNumber(form, "total_tokens", options.total_tokens));
  LOCKSTEP_RETURN_IF_ERROR(SetNumber(form, "mtbf_hours", options.mtbf_hours));
  LOCKSTEP_ASSIGN_OR_RETURN(question.prices, PricesOf(form, defaults));
  LOCKSTEP_ASSIGN_OR_RETURN(question.job, JobQuestionOf(form));
  return question;
}

void WriteForecast(JsonWriter& json, const JobForecast& found) {
  json.BeginObject();
  WriteHead(json, found.subject);
  json.Field("is_running", found.is_running);
  json.Field("as_of", UnixSeconds(found.as_of_ms));
  WriteEnd(json, found);
  WritePace(json, found.pace);
  WriteCost(json, found);
  WriteMemory(json, found);
  WriteCheckpoints(json, found);
  WriteInterruptions(json, found);
  json.EndObject();
}

}  // namespace lockstep::api
