// /api/v1/query_exemplars: the exemplars of the series that a query selects. Safe from any thread.
#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "api/call.h"
#include "base/query_budget.h"
#include "ingest/exemplar_store.h"
#include "query/promql/parser.h"

namespace lockstep::api {

// Those of the series that one of the selections fits, as ExemplarStore::Select().
using SelectExemplars =
    absl::FunctionRef<std::vector<SeriesExemplars>(ExemplarStore::Selections, TimeRange)>;

Response HandleQueryExemplars(const Call& call, SelectExemplars select, promql::Dialect dialect,
                              const QueryBudget& budget);

}  // namespace lockstep::api
