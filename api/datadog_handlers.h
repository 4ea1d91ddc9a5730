// What Datadog's clients send, below the path /datadog that they are given for a host.
//
//   POST /datadog/api/v1/series, /datadog/api/v2/series
//          JSON (ingest/json/datadog_series.h) or protobuf (ingest/json/datadog_payload.h)
//   GET  /datadog/api/v1/validate
//   POST /datadog/api/beta/sketches
//          400: they are no series
//   POST /datadog/intake, /datadog/api/v1/check_run, /datadog/api/v1/metadata
//          what the agent tells besides; answered and dropped
//
// Series are answered 202; 400 when some were not taken and the others are stored; other failures
// as those of remote write (api/write_handler.h). The body is JSON.
#pragma once

#include <cstdint>

#include "api/http.h"
#include "ingest/ingester.h"

namespace lockstep::api {

// Safe from any thread. Answers from a thread of the store, or before it returns.
void HandleDatadogSeries(const Request& request, Ingester& ingester, int64_t now_ms,
                         Respond respond);
Response HandleDatadogSketches();
// What is no metric.
Response HandleDatadogIntake();
Response HandleDatadogCheckRun();
// Whoever gets here has shown a credential that is one.
Response HandleDatadogValidate();

}  // namespace lockstep::api
