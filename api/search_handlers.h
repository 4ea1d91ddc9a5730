// The endpoints that look for names as somebody types: search/metric_names, search/label_names,
// search/label_values, as Prometheus 3.14 has them. Answers are lines of JSON: batches of results,
// then one line that says whether there is more. Blocking: run them on the query pool. Functions of
// their arguments, safe from any thread.
#pragma once

#include <cstdint>

#include "api/call.h"
#include "base/query_budget.h"
#include "storage/storage.h"

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
