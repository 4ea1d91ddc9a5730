// Call and Permit: a request as handlers receive it, and its permit to use the query pool.
#pragma once

#include <memory>
#include <string>

#include "api/http/form.h"
#include "api/http/http.h"
#include "base/budget/memory_budget.h"
#include "base/budget/query_budget.h"
#include "query/engine/engine.h"
#include "tenants/data_view.h"

namespace lockstep::api {

struct Call {
  Form form;
  std::string path_parameter{};                     // the route's ':' segment, percent-decoded
  Request request{};                                // without its body if that was a form
  MemoryCharge memory{};                            // for the form
  std::shared_ptr<const tenants::DataView> data{};  // the accessible data; null: none
};

// What a call receives when it may run on the query pool.
struct Permit {
  engine::QueryProgress& progress;
  QueryBudget& budget;
  std::shared_ptr<const void> place;  // holds the budget
  double queued_seconds = 0;          // spent in the queue
};

}  // namespace lockstep::api
