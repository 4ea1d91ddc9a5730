#include "api/training/events_json.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/training/annotation_json.h"
#include "api/training/training_json.h"

namespace lockstep::api {
namespace {

void WriteFoundEvent(JsonWriter& json, const answers::JobEvents& found,
                     const training::Event& event) {
  json.BeginObject();
  json.Field("kind", Name(event.kind));
  WriteTimeRange(json, event.time);
  json.Field("step", event.step);
  json.Field("ranks", RanksOf(found.subject.job, event.rows));
  WriteEvidence(json, event.evidence);
  json.Field("words", event.words);
  json.Key("annotation");
  json.Null();
  json.EndObject();
}

// The ranks that the label "rank" names.
std::vector<int64_t> AnnotatedRanks(const training::Job& job,
                                    const annotations::Annotation& annotation) {
  const std::string_view label = annotation.labels.Get("rank");
  for (const training::RankPlace& place : job.ranks) {
    if (label == std::to_string(place.rank)) return {place.rank};
  }
  return {};
}

void WriteAnnotationEvent(JsonWriter& json, const answers::JobEvents& found,
                          const annotations::Annotation& annotation) {
  json.BeginObject();
  json.Field("kind", "annotation");
  WriteTimeRange(json, TimeOf(annotation, found.now_ms));
  json.Field("step", annotation.first_step);
  json.Field("ranks", AnnotatedRanks(found.subject.job, annotation));
  WriteEvidence(json, {});
  json.Field("words", annotation.text);
  json.Key("annotation");
  json.BeginObject();
  WriteAnnotationFields(json, annotation);
  json.EndObject();
  json.EndObject();
}

// Both kinds, in time order.
void WriteAllEvents(JsonWriter& json, const answers::JobEvents& found) {
  auto annotation = found.annotations.begin();
  const auto write_until = [&](int64_t time_ms) {
    for (; annotation != found.annotations.end() && (*annotation)->start_ms < time_ms;
         ++annotation) {
      WriteAnnotationEvent(json, found, **annotation);
    }
  };
  json.Key("events");
  json.BeginArray();
  for (const training::Event& event : found.events) {
    write_until(event.time.min_ms);
    WriteFoundEvent(json, found, event);
  }
  write_until(INT64_MAX);
  json.EndArray();
}

}  // namespace

void WriteEvents(JsonWriter& json, const answers::JobEvents& found) {
  json.BeginObject();
  WriteHead(json, found.subject);
  WriteAllEvents(json, found);
  WriteConfidence(json, found.confidence);
  json.EndObject();
}

}  // namespace lockstep::api
