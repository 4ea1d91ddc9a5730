// The endpoints that list what is stored: series, labels, label/NAME/values. Blocking: run them on the
// query pool. Functions of their arguments, safe from any thread.
#pragma once

#include "api/call.h"
#include "base/query_budget.h"
#include "storage/storage.h"

namespace lockstep::api {

Response HandleSeries(const Call& call, const Storage& storage, QueryBudget& budget);
Response HandleLabels(const Call& call, const Storage& storage, QueryBudget& budget);
Response HandleLabelValues(const Call& call, const Storage& storage, QueryBudget& budget);

}  // namespace lockstep::api
