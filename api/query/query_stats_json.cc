#include "api/query/query_stats_json.h"

#include "base/text/float_format.h"

namespace lockstep::api {
namespace {

void WriteTimings(JsonWriter& json, const engine::QueryStats& stats, double queued_seconds) {
  json.BeginObject();
  json.Field("evalTotalTime", stats.parse_seconds + stats.eval_seconds);
  json.Field("resultSortTime", 0);
  json.Field("queryPreparationTime", stats.parse_seconds);
  json.Field("innerEvalTime", stats.eval_seconds);
  json.Field("execQueueTime", queued_seconds);
  json.Field("execTotalTime", queued_seconds + stats.parse_seconds + stats.eval_seconds);
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
  json.Field("totalQueryableSamples", stats.total_samples);
  json.Field("peakSamples", stats.peak_samples);
  json.EndObject();
  json.EndObject();
}

}  // namespace lockstep::api
