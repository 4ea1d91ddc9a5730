// Data points of OTLP in JSON. Pure functions. Their document outlives the points.
#pragma once

#include "ingest/otlp/json_value.h"
#include "ingest/otlp/metric_points.h"

namespace lockstep::otlp {

NumberPoint ReadJsonNumberPoint(JsonObject object);
HistogramPoint ReadJsonHistogramPoint(JsonObject object);
ExponentialHistogramPoint ReadJsonExponentialHistogramPoint(JsonObject object);
SummaryPoint ReadJsonSummaryPoint(JsonObject object);

}  // namespace lockstep::otlp
