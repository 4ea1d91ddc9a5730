// The server's own metrics as JSON: as /api/v1/status/self_metrics of Prometheus 3.14 has them,
// which is the JSON form of the message io.prometheus.client.MetricFamily.
#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "api/http.h"

namespace lockstep::server {

// Those whose whole name matches the parameter metric_name_pattern, all without one.
api::Response AnswerAsJson(const api::Request& request,
                           const std::vector<prometheus::MetricFamily>& families);

}  // namespace lockstep::server
