// The name of a metric's series, and the label names of attributes. Pure functions. Source:
// prometheus/otlptranslator; OpenTelemetry, "Prometheus and OpenMetrics Compatibility".
#pragma once

#include <string>
#include <string_view>

#include "ingest/otlp/metric_points.h"
#include "ingest/otlp/translation.h"

namespace lockstep::otlp {

// "http.server.duration" with the unit "s" is http_server_duration_seconds. "" if nothing is left of it.
std::string MetricName(const MetricHeader& metric, NameTranslation names);

// "http.method" is http_method. "" if nothing is left of it.
std::string LabelName(std::string_view key, NameTranslation names);

}  // namespace lockstep::otlp
