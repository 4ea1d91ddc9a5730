#include "api/training/run_history_json.h"

#include "api/training/training_json.h"
#include "api/training/training_params.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

void WriteRunFields(JsonWriter& json, const training::RunSummary& run) {
  json.Field("steps", run.steps);
  json.Field("step_seconds", run.step_seconds);
  json.Key("phase_seconds");
  json.BeginObject();
  for (const auto& [name, seconds] : run.phase_seconds) json.Field(name, seconds);
  json.EndObject();
  json.Key("settings");
  json.BeginObject();
  for (const auto& [name, value] : run.settings) json.Field(name, value);
  json.EndObject();
}

void WriteComparison(JsonWriter& json, const answers::JobRunHistory& found) {
  const training::RunComparison& comparison = found.comparison;
  json.Field("change", Name(comparison.change));
  json.Field("change_ratio", comparison.change_ratio);
  json.Field("noise_ratio", comparison.noise_ratio);
  json.Field("usual_step_seconds", comparison.usual_step_seconds);
  json.Field("compared_runs", comparison.base_count);
  json.Key("since");
  if (comparison.change != training::RunChange::kSlower &&
      comparison.change != training::RunChange::kFaster) {
    json.Null();
  } else {
    json.String(comparison.since.has_value() ? found.predecessors[*comparison.since].job
                                             : found.run.job);
  }
  json.Field("phase", comparison.phase);
  json.Field("phase_change_seconds", comparison.phase_change_seconds);
  WriteObjects(json, "changed_settings", comparison.settings,
               [&](const training::ChangedSetting& setting) {
                 json.Field("name", setting.name);
                 json.Field("before", setting.before);
                 json.Field("after", setting.after);
               });
}

}  // namespace

absl::StatusOr<answers::RunHistoryQuestion> RunHistoryQuestionOf(const Form& form) {
  answers::RunHistoryQuestion question;
  LOCKSTEP_ASSIGN_OR_RETURN(question.job, JobQuestionOf(form));
  return question;
}

void WriteRunHistory(JsonWriter& json, const answers::JobRunHistory& found) {
  json.BeginObject();
  WriteHead(json, found.subject);
  json.Field("sentence", found.sentence);
  WriteComparison(json, found);
  WriteRunFields(json, found.run);
  WriteObjects(json, "predecessors", found.predecessors, [&](const training::RunSummary& run) {
    json.Field("job", run.job);
    json.Field("attempt", run.attempt);
    WriteTimeRange(json, run.time);
    WriteRunFields(json, run);
  });
  json.EndObject();
}

}  // namespace lockstep::api
