// /api/v1/query_exemplars: the exemplars of the series that a query selects. Safe from any thread.
#pragma once

#include "api/call.h"
#include "base/query_budget.h"
#include "ingest/exemplar_store.h"

namespace lockstep::api {

Response HandleQueryExemplars(const Call& call, const ExemplarStore& exemplars,
                              const QueryBudget& budget);

}  // namespace lockstep::api
