#include "api/query_stats_json.h"

#include "base/float_format.h"

namespace lockstep::api {
namespace {

void WriteTimings(JsonWriter& json, const engine::QueryStats& stats, double queued_seconds) {
  const auto seconds = [&](std::string_view key, double value) {
    json.Key(key);
    json.Number(value);
  };
  json.BeginObject();
  seconds("evalTotalTime", stats.parse_seconds + stats.eval_seconds);
  seconds("resultSortTime", 0);
  seconds("queryPreparationTime", stats.parse_seconds);
  seconds("innerEvalTime", stats.eval_seconds);
  seconds("execQueueTime", queued_seconds);
  seconds("execTotalTime", queued_seconds + stats.parse_seconds + stats.eval_seconds);
  json.EndObject();
}

void WritePerStep(JsonWriter& json, const std::vector<int64_t>& counts, const QuerySteps& steps) {
  json.BeginArray();
  for (size_t i = 0; i < counts.size(); ++i) {
    json.BeginArray();
    AppendShortestTimestamp(json.Raw(), steps.start_ms + static_cast<int64_t>(i) * steps.step_ms);
    json.Number(counts[i]);
    json.EndArray();
  }
  json.EndArray();
}

}  // namespace

void WriteQueryStats(JsonWriter& json, const engine::QueryStats& stats, const QuerySteps& steps,
                     double queued_seconds) {
  json.BeginObject();
  json.Key("timings");
  WriteTimings(json, stats, queued_seconds);
  json.Key("samples");
  json.BeginObject();
  if (!stats.samples_per_step.empty()) {
    json.Key("totalQueryableSamplesPerStep");
    WritePerStep(json, stats.samples_per_step, steps);
  }
  json.Key("totalQueryableSamples");
  json.Number(stats.total_samples);
  json.Key("peakSamples");
  json.Number(stats.peak_samples);
  json.EndObject();
  json.EndObject();
}

}  // namespace lockstep::api
