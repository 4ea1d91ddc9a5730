#include "api/training/events_json.h"

#include "api/training/training_json.h"

namespace lockstep::api {

void WriteEvents(JsonWriter& json, const answers::JobEvents& found) {
  json.BeginObject();
  WriteHead(json, found.subject);
  WriteObjects(json, "events", found.events, [&](const training::Event& event) {
    json.Field("kind", Name(event.kind));
    WriteTimeRange(json, event.time);
    json.Field("step", event.step);
    json.Field("ranks", RanksOf(found.subject.job, event.rows));
    WriteEvidence(json, event.evidence);
    json.Field("words", event.words);
  });
  WriteConfidence(json, found.confidence);
  json.EndObject();
}

}  // namespace lockstep::api
