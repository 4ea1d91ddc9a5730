// Call: a request on its way through a handler of the query API.
#pragma once

#include <memory>
#include <string>

#include "api/form.h"
#include "api/http.h"
#include "base/memory_budget.h"
#include "tenants/data_view.h"

namespace lockstep::api {

struct Call {
  Form form;
  std::string path_parameter{};  // of the ':' segment of the route, percent-decoded
  Request request{};             // without its body if that was the form
  MemoryCharge memory{};         // of the form
  std::shared_ptr<const tenants::DataView> data{};  // what it may read; null: nothing
};

}  // namespace lockstep::api
