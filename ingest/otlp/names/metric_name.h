// Converts metric names and attribute keys to Prometheus names. Pure functions. Source:
// prometheus/otlptranslator; OpenTelemetry, "Prometheus and OpenMetrics Compatibility".
#pragma once

#include <string>
#include <string_view>

#include "ingest/otlp/names/translation.h"
#include "ingest/otlp/points/metric_points.h"

namespace lockstep::otlp {

// "http.server.duration" with the unit "s" becomes http_server_duration_seconds. "" if nothing
// remains.
std::string MetricName(const MetricHeader& metric, NameTranslation names);

// "http.method" becomes http_method. "" if nothing remains.
std::string LabelName(std::string_view key, NameTranslation names);

}  // namespace lockstep::otlp
