#include "api/training/steps_json.h"

#include "api/training/training_json.h"
#include "api/training/training_params.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

void WriteAttempt(JsonWriter& json, const answers::AttemptSteps& attempt) {
  json.Field("attempt", attempt.attempt);
  json.Field("first_step", attempt.first_step);
  json.Field("last_step", attempt.last_step);
  json.Field("step", attempt.step);
  json.Key("end");
  json.BeginArray();
  for (const int64_t end_ms : attempt.end_ms) json.Number(UnixSeconds(end_ms));
  json.EndArray();
  json.Field("step_seconds", attempt.step_seconds);
  json.Field("behind_seconds", attempt.behind_seconds);
  json.Key("pacing");
  json.BeginObject();
  json.Field("median_seconds", attempt.median_seconds);
  json.Field("spread_seconds", attempt.spread_seconds);
  json.EndObject();
}

}  // namespace

absl::StatusOr<answers::StepsQuestion> StepsQuestionOf(const Form& form) {
  constexpr size_t kMostPoints = 100'000;
  answers::StepsQuestion question;
  LOCKSTEP_RETURN_IF_ERROR(SetCount(form, "points", kMostPoints, question.points));
  LOCKSTEP_ASSIGN_OR_RETURN(question.job, JobQuestionOf(form));
  return question;
}

void WriteSteps(JsonWriter& json, const answers::JobSteps& found) {
  json.BeginObject();
  json.Field("job", found.job);
  WriteTimeRange(json, found.time);
  WriteObjects(json, "attempts", found.attempts,
               [&](const answers::AttemptSteps& attempt) { WriteAttempt(json, attempt); });
  json.EndObject();
}

}  // namespace lockstep::api
