// /api/v1/read: Prometheus remote read, for a Prometheus that asks here for what it has not itself. Blocking:
// on the query pool. Safe from any thread.
#pragma once

#include "api/call.h"
#include "base/query_budget.h"
#include "query/engine/engine.h"
#include "storage/storage.h"

namespace lockstep::api {

// Snappy protobuf in; SAMPLES or STREAMED_XOR_CHUNKS out, whichever the client names first. The answer is
// charged to the budget. Errors are plain text, as Prometheus gives them here.
Response HandleRemoteRead(const Call& call, const Storage& storage, engine::QueryProgress& progress,
                          QueryBudget& budget);

}  // namespace lockstep::api
