// WriteFailure: the response to a write that stored nothing, for any message format.
#pragma once

#include <string>

#include "base/status.h"

namespace lockstep::api {

struct WriteFailure {
  int http_status = 0;
  std::string retry_after_seconds;  // the value of that header; "" for none
};

// Precondition: `status` is an error of Ingester::Write().
WriteFailure WriteFailureOf(const absl::Status& status);

}  // namespace lockstep::api
