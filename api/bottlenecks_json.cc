#include "api/bottlenecks_json.h"

#include "api/training_json.h"

namespace lockstep::api {
namespace {

using training::BottleneckClass;

void WriteGpu(JsonWriter& json, const answers::LoadedJob& job, const training::GpuBottleneck& gpu) {
  json.BeginObject();
  WritePlace(json, job.job.ranks[gpu.row]);
  WriteTextField(json, "class", Name(gpu.bottleneck));
  WriteTextField(json, "host_cause", Name(gpu.host_cause));
  WriteNumberField(json, "margin", gpu.least_margin);
  json.Key("share");
  json.BeginObject();
  for (size_t i = 0; i < training::kBottleneckClassCount; ++i) {
    WriteNumberField(json, Name(static_cast<BottleneckClass>(i)), gpu.share[i]);
  }
  json.EndObject();
  WriteEvidence(json, gpu.evidence);
  WriteTextField(json, "advice", Advice(gpu.bottleneck));
  json.Key("flags");
  json.BeginArray();
  for (const training::BottleneckFlag flag : gpu.flags) {
    json.BeginObject();
    WriteTextField(json, "flag", Name(flag));
    WriteTextField(json, "advice", Advice(flag));
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WriteWindow(JsonWriter& json, const training::ClassifiedWindow& window) {
  json.BeginObject();
  WriteTimeRange(json, window.time);
  json.Key("classes");
  json.BeginArray();
  for (const training::Classified& gpu : window.gpus) json.String(Name(gpu.bottleneck));
  json.EndArray();
  json.Key("margins");
  json.BeginArray();
  for (const training::Classified& gpu : window.gpus) WriteKnown(json, gpu.margin);
  json.EndArray();
  json.EndObject();
}

}  // namespace

answers::JobNeeds BottleneckNeeds() {
  answers::JobNeeds needs{.phases = true, .operations = true};
  needs.devices.set();
  return needs;
}

void WriteBottlenecks(JsonWriter& json, const answers::LoadedJob& job,
                      const training::BottleneckAnswer& answer) {
  json.BeginObject();
  WriteHead(json, job);
  WriteTextField(json, "verdict", Name(answer.verdict));
  WriteTextField(json, "host_cause", Name(answer.host_cause));
  WriteTextField(json, "advice", Advice(answer.verdict));
  json.Key("gpus");
  json.BeginArray();
  for (const training::GpuBottleneck& gpu : answer.gpus) WriteGpu(json, job, gpu);
  json.EndArray();
  json.Key("windows");
  json.BeginArray();
  for (const training::ClassifiedWindow& window : answer.windows) WriteWindow(json, window);
  json.EndArray();
  WriteEvidence(json, answer.evidence);
  WriteTextsField(json, "missing", answer.missing);
  WriteConfidence(json, answer.confidence);
  json.EndObject();
}

}  // namespace lockstep::api
