// The endpoints for search as you type, compatible with Prometheus 3.14: search/metric_names,
// search/label_names, search/label_values. Responses are lines of JSON: batches of results, then
// one line that says whether there are more. Blocking: run them on the query pool. Functions of
// their arguments; safe from any thread.
#pragma once

#include <cstdint>

#include "api/http/call.h"
#include "base/budget/query_budget.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::api {

struct SearchContext {
  const Storage& storage;
  int64_t now_ms = 0;
};

Response HandleSearchMetricNames(const Call& call, const SearchContext& context,
                                 QueryBudget& budget);
Response HandleSearchLabelNames(const Call& call, const SearchContext& context,
                                QueryBudget& budget);
Response HandleSearchLabelValues(const Call& call, const SearchContext& context,
                                 QueryBudget& budget);

}  // namespace lockstep::api
