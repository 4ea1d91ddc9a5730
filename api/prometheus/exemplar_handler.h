// /api/v1/query_exemplars: the exemplars of the series that a query selects. Safe from any thread.
#pragma once

#include <vector>

#include "absl/functional/function_ref.h"
#include "api/http/call.h"
#include "base/budget/query_budget.h"
#include "ingest/side_data/exemplar_store.h"
#include "query/promql/parser/parser.h"

namespace lockstep::api {

// Returns the exemplars of series that match one of the selections, like ExemplarStore::Select().
using SelectExemplars =
    absl::FunctionRef<std::vector<SeriesExemplars>(ExemplarStore::Selections, TimeRange)>;

Response HandleQueryExemplars(const Call& call, SelectExemplars select, promql::Dialect dialect,
                              const QueryBudget& budget);

}  // namespace lockstep::api
