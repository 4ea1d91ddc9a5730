// The endpoints that list stored series: series, labels, label/NAME/values. Blocking: run them on
// the query pool. Functions of their arguments; safe from any thread.
#pragma once

#include "api/http/call.h"
#include "base/budget/query_budget.h"

namespace lockstep {
class Storage;
}  // namespace lockstep

namespace lockstep::api {

Response HandleSeries(const Call& call, const Storage& storage, QueryBudget& budget);
Response HandleLabels(const Call& call, const Storage& storage, QueryBudget& budget);
Response HandleLabelValues(const Call& call, const Storage& storage, QueryBudget& budget);

}  // namespace lockstep::api
