// What batch jobs ask of a Pushgateway.
//
//   PUT, POST, DELETE /metrics/job/NAME{/LABEL/VALUE}    text, OpenMetrics or protobuf
//
// A push is stored at the time at which it arrives, with the labels of its group, beside
// push_time_seconds and push_failure_time_seconds. PUT ends the series of the group that are not in
// it, POST those that have the name of one that is, DELETE all. Answers: 200, DELETE 202; 400 when
// the push cannot be read, and nothing of it is stored, or when some series were refused and the
// others are stored; other failures as those of remote write (api/write_handler.h). The body is
// text.
#pragma once

#include <cstdint>

#include "api/http.h"
#include "ingest/gateway/push_groups.h"
#include "ingest/ingester.h"

namespace lockstep::api {

// Safe from any thread. Answers from a thread of the store, or before it returns. Both outlive the
// answer.
void HandleGroupPush(const Request& request, Ingester& ingester, gateway::PushGroups& groups,
                     int64_t now_ms, Respond respond);

}  // namespace lockstep::api
