// The statistics of a query as JSON, as Prometheus gives them with `stats`:
//
//   {"timings":{"evalTotalTime":..,...},
//    "samples":{"totalQueryableSamplesPerStep":[[T,n],..],"totalQueryableSamples":n,"peakSamples":n}}
//
// The list per step is there if the query counted it.
#pragma once

#include <cstdint>

#include "api/json_writer.h"
#include "query/engine/value.h"

namespace lockstep::api {

// What a sample that is charged to a budget stands for.
inline constexpr int64_t kBytesPerChargedSample = 16;

struct QuerySteps {
  int64_t start_ms = 0;
  int64_t step_ms = 0;
};

void WriteQueryStats(JsonWriter& json, const engine::QueryStats& stats, const QuerySteps& steps,
                     double queued_seconds);

}  // namespace lockstep::api
