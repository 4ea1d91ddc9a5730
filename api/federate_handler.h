// /federate: the newest samples of the selected series, for another Prometheus to scrape. Blocking: on the
// query pool. Safe from any thread.
#pragma once

#include "api/call.h"
#include "base/query_budget.h"
#include "query/engine/engine.h"
#include "storage/storage.h"

namespace lockstep::api {

struct FederateContext {
  const Storage& storage;
  int64_t now_ms = 0;
  int64_t lookback_ms = 0;  // how old a sample may be
  engine::QueryProgress& progress;
};

// Errors are plain text, as Prometheus gives them here.
Response HandleFederate(const Call& call, const FederateContext& context, QueryBudget& budget);

}  // namespace lockstep::api
