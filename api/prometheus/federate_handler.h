// /federate: the latest samples of the selected series, for another Prometheus to scrape. Blocking:
// run it on the query pool. Safe from any thread.
#pragma once

#include "api/http/call.h"
#include "base/budget/query_budget.h"
#include "query/engine/engine.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::api {

struct FederateContext {
  const Storage& storage;
  int64_t now_ms = 0;
  int64_t lookback_ms = 0;  // the maximum age of a sample
  engine::QueryProgress& progress;
};

// Errors are plain text, as in Prometheus.
Response HandleFederate(const Call& call, const FederateContext& context, QueryBudget& budget);

}  // namespace lockstep::api
