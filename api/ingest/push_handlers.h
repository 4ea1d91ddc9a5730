// The data that jobs push: their raw logs, and lines of named values per step.
//
//   POST /api/v1/push/log?job=&run=&rank=&format=&stream=&offset=&arrival_ms=   text
//   POST /api/v1/push/steps                                                     JSON lines
//
// A body may be compressed. The stream and the offset may also be sent in the headers
// X-Lockstep-Stream and X-Lockstep-Offset.
#pragma once

#include <cstdint>

#include "api/http/http.h"
#include "ingest/push/log_pusher.h"
#include "ingest/write/limits.h"

namespace lockstep::api {

struct PushContext {
  push::LogPusher& pusher;
  const IngestLimits& limits;
  int64_t now_ms = 0;
};

void HandleLogPush(const Request& request, const PushContext& context, Respond respond);
void HandleStepPush(const Request& request, const PushContext& context, Respond respond);

}  // namespace lockstep::api
