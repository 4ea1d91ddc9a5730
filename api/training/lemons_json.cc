#include "api/training/lemons_json.h"

#include <string_view>
#include <vector>

#include "api/http/params.h"
#include "api/training/training_json.h"
#include "base/status.h"

namespace lockstep::api {
namespace {

using training::Lemon;

void WriteLemonList(JsonWriter& json, std::string_view key, const std::vector<Lemon>& lemons,
                    const answers::FleetLemons& found) {
  WriteObjects(json, key, lemons, [&](const Lemon& lemon) {
    json.Field("kind", lemon.kind == Lemon::Kind::kHost ? "host" : "gpu");
    json.Field("host", lemon.host);
    json.Field("gpu", lemon.gpu);
    json.Field("uuid", lemon.gpu_uuid);
    json.Field("jobs", lemon.jobs);
    json.Field("slowest_in", lemon.slowest_in);
    json.Field("late_ratio", lemon.late_ratio);
    json.Field("score", lemon.score);
    json.Field("by_chance", lemon.by_chance);
    json.Field("doubt", lemon.doubt);
    json.Field("sentence", answers::WordsOf(lemon));
    WriteObjects(json, "evidence", lemon.evidence, [&](const training::LemonEvidence& each) {
      const training::JobLateness& job = found.history[each.job];
      json.Field("job", job.job);
      json.Field("attempt", job.attempt);
      WriteTimeRange(json, job.time);
      json.Field("rank", each.place.rank);
      json.Field("late_ratio", each.late_ratio);
      json.Field("is_slowest", each.is_slowest);
    });
  });
}

}  // namespace

absl::StatusOr<answers::LemonQuestion> LemonQuestionOf(const Form& form) {
  answers::LemonQuestion question;
  LOCKSTEP_ASSIGN_OR_RETURN(question.time, ParseTimeRange(form.Get("start"), form.Get("end")));
  return question;
}

void WriteLemons(JsonWriter& json, const answers::FleetLemons& found) {
  json.BeginObject();
  WriteTimeRange(json, found.time);
  json.Field("attempts", found.history.size());
  json.Field("running_attempts", found.running_count);
  json.Field("incomparable_attempts", found.incomparable_count);
  json.Field("gpus_judged", found.answer.gpus_judged);
  json.Field("hosts_judged", found.answer.hosts_judged);
  WriteLemonList(json, "lemons", found.answer.lemons, found);
  WriteLemonList(json, "undecided", found.answer.undecided, found);
  json.EndObject();
}

}  // namespace lockstep::api
