// Call: a request on its way through a handler of the query API.
#pragma once

#include <string>

#include "api/form.h"
#include "api/http.h"

namespace lockstep::api {

struct Call {
  Form form;
  std::string path_parameter{};  // of the ':' segment of the route, percent-decoded
  Request request{};             // without its body if that was the form
};

}  // namespace lockstep::api
