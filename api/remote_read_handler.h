// /api/v1/read: Prometheus remote read, for a Prometheus that asks here for what it has not itself. Blocking:
// on the query pool. Safe from any thread.
#pragma once

#include <memory>

#include "api/call.h"
#include "base/query_budget.h"
#include "query/engine/engine.h"
#include "storage/storage.h"

namespace lockstep::api {

// What a remote read has while it runs.
struct ReadTurn {
  engine::QueryProgress& progress;
  QueryBudget& budget;
  std::shared_ptr<const void> place;  // keeps the budget
};

// Snappy protobuf in; SAMPLES or STREAMED_XOR_CHUNKS out, whichever the client names first. Samples are charged
// to the budget as a whole; chunks are read from the store while they are sent. Errors are plain text, as
// Prometheus gives them here. `storage` outlives the response.
Response HandleRemoteRead(const Call& call, const Storage& storage, const ReadTurn& turn);

}  // namespace lockstep::api
