#include "api/training/bottlenecks_json.h"

#include "api/training/training_json.h"

namespace lockstep::api {
namespace {

using training::BottleneckClass;

void WriteGpu(JsonWriter& json, const training::Job& job, const training::GpuBottleneck& gpu) {
  WritePlace(json, job.ranks[gpu.row]);
  json.Field("class", Name(gpu.bottleneck));
  json.Field("host_cause", Name(gpu.host_cause));
  json.Field("margin", gpu.least_margin);
  json.Key("share");
  json.BeginObject();
  for (size_t i = 0; i < training::kBottleneckClassCount; ++i) {
    json.Field(Name(static_cast<BottleneckClass>(i)), gpu.share[i]);
  }
  json.EndObject();
  WriteEvidence(json, gpu.evidence);
  json.Field("advice", Advice(gpu.bottleneck));
  WriteObjects(json, "flags", gpu.flags, [&](training::BottleneckFlag flag) {
    json.Field("flag", Name(flag));
    json.Field("advice", Advice(flag));
  });
}

void WriteWindow(JsonWriter& json, const training::ClassifiedWindow& window) {
  WriteTimeRange(json, window.time);
  json.Key("classes");
  json.BeginArray();
  for (const training::Classified& gpu : window.gpus) json.String(Name(gpu.bottleneck));
  json.EndArray();
  json.Key("margins");
  json.BeginArray();
  for (const training::Classified& gpu : window.gpus) json.Number(gpu.margin);
  json.EndArray();
}

}  // namespace

void WriteBottlenecks(JsonWriter& json, const answers::JobBottlenecks& found) {
  const training::BottleneckAnswer& answer = found.answer;
  json.BeginObject();
  WriteHead(json, found.subject);
  json.Field("verdict", Name(answer.verdict));
  json.Field("host_cause", Name(answer.host_cause));
  json.Field("advice", Advice(answer.verdict));
  WriteObjects(json, "gpus", answer.gpus,
               [&](const training::GpuBottleneck& gpu) { WriteGpu(json, found.subject.job, gpu); });
  WriteObjects(json, "windows", answer.windows,
               [&](const training::ClassifiedWindow& window) { WriteWindow(json, window); });
  WriteEvidence(json, answer.evidence);
  json.Field("missing", answer.missing);
  WriteConfidence(json, answer.confidence);
  json.EndObject();
}

}  // namespace lockstep::api
