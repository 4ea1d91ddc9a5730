// Decodes OTLP data points in JSON. Pure functions. The document must outlive the points.
#pragma once

#include "ingest/otlp/json/json_value.h"
#include "ingest/otlp/points/metric_points.h"

namespace lockstep::otlp {

NumberPoint ReadJsonNumberPoint(JsonObject object);
HistogramPoint ReadJsonHistogramPoint(JsonObject object);
ExponentialHistogramPoint ReadJsonExponentialHistogramPoint(JsonObject object);
SummaryPoint ReadJsonSummaryPoint(JsonObject object);

}  // namespace lockstep::otlp
