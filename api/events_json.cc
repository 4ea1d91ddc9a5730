#include "api/events_json.h"

#include "api/training_json.h"

namespace lockstep::api {
namespace {

void WriteEvent(JsonWriter& json, const answers::LoadedJob& job, const training::Event& event) {
  json.BeginObject();
  WriteTextField(json, "kind", Name(event.kind));
  WriteTimeRange(json, event.time);
  WriteIntegerField(json, "step", event.step);
  json.Key("ranks");
  json.BeginArray();
  for (const size_t row : event.rows) json.Number(job.job.ranks[row].rank);
  json.EndArray();
  WriteEvidence(json, event.evidence);
  WriteTextField(json, "words", event.words);
  json.EndObject();
}

}  // namespace

answers::JobNeeds EventNeeds() { return answers::JobNeeds::Everything(); }

std::vector<training::Event> EventsOf(const answers::LoadedJob& job, int64_t now_ms) {
  training::EventInput input{job.job, job.steps, job.devices, {}};
  // While devices count for the job, it has not ended; they are looked at once a minute or more often.
  constexpr int64_t kStillRunsMs = 60'000;
  if (job.time.to_ms + kStillRunsMs >= now_ms) input.now_ms = now_ms;
  return training::FindEvents(input);
}

void WriteEvents(JsonWriter& json, const answers::LoadedJob& job,
                 const std::vector<training::Event>& events) {
  json.BeginObject();
  WriteHead(json, job);
  json.Key("events");
  json.BeginArray();
  for (const training::Event& event : events) WriteEvent(json, job, event);
  json.EndArray();
  WriteConfidence(json, training::ConfidenceOfEvents({job.job, job.steps, job.devices, {}}));
  json.EndObject();
}

}  // namespace lockstep::api
