// Requests from Datadog's clients, which are configured with the path /datadog in their host URL.
//
//   POST /datadog/api/v1/series, /datadog/api/v2/series
//          JSON (ingest/json/datadog_series.h) or protobuf (ingest/json/datadog_payload.h)
//   GET  /datadog/api/v1/validate
//   POST /datadog/api/beta/sketches
//          400: not supported
//   POST /datadog/intake, /datadog/api/v1/check_run, /datadog/api/v1/metadata
//          other data from the agent; acknowledged and dropped
//
// Series get 202, or 400 if some were rejected and the others stored; other failures are as for
// remote write (api/ingest/write_handler.h). The body is JSON.
#pragma once

#include <cstdint>

#include "api/http/http.h"
#include "ingest/ingester.h"

namespace lockstep::api {

// Safe from any thread. Responds from a thread of the store, or before it returns.
void HandleDatadogSeries(const Request& request, Ingester& ingester, int64_t now_ms,
                         Respond respond);
Response HandleDatadogSketches();
// Handles requests that contain no metrics.
Response HandleDatadogIntake();
Response HandleDatadogCheckRun();
// Always succeeds: a request with an invalid credential does not get here.
Response HandleDatadogValidate();

}  // namespace lockstep::api
