// The requests that batch jobs send to a Pushgateway.
//
//   PUT, POST, DELETE /metrics/job/NAME{/LABEL/VALUE}    text, OpenMetrics or protobuf
//
// A push is stored with its arrival time and the labels of its group, together with
// push_time_seconds and push_failure_time_seconds. PUT ends the group's series that are missing
// from the push, POST ends those among them whose metric name is in the push, DELETE ends all.
// Responses: 200, or 202 for DELETE; 400 if the push cannot be parsed and nothing is stored, or if
// some series were rejected and the others stored; other failures are as for remote write
// (api/ingest/write_handler.h). The body is text.
#pragma once

#include <cstdint>

#include "api/http/http.h"
#include "ingest/gateway/push_groups.h"
#include "ingest/ingester.h"

namespace lockstep::api {

// Safe from any thread. Responds from a thread of the store, or before it returns. `ingester` and
// `groups` must outlive the response.
void HandleGroupPush(const Request& request, Ingester& ingester, gateway::PushGroups& groups,
                     int64_t now_ms, Respond respond);

}  // namespace lockstep::api
