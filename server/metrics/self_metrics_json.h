// The server's own metrics as JSON, like /api/v1/status/self_metrics of Prometheus 3.14: the JSON
// form of the message io.prometheus.client.MetricFamily.
#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "api/http/http.h"

namespace lockstep::server {

// Returns the families whose whole name matches the parameter metric_name_pattern; all without one.
api::Response AnswerAsJson(const api::Request& request,
                           const std::vector<prometheus::MetricFamily>& families);

}  // namespace lockstep::server
