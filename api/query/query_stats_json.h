// Query statistics as JSON, in Prometheus' format for `stats`:
//
//   {"timings":{"evalTotalTime":..,...},
//    "samples":{"totalQueryableSamplesPerStep":[[T,n],..],"totalQueryableSamples":n,
//               "peakSamples":n}}
//
// The list per step is present if the query counted it.
#pragma once

#include <cstdint>

#include "api/http/json_writer.h"
#include "query/engine/values/value.h"

namespace lockstep::api {

// The size of one sample charged to a budget.
inline constexpr int64_t kBytesPerChargedSample = 16;

struct QuerySteps {
  int64_t start_ms = 0;
  int64_t step_ms = 0;
};

void WriteQueryStats(JsonWriter& json, const engine::QueryStats& stats, const QuerySteps& steps,
                     double queued_seconds);

}  // namespace lockstep::api
