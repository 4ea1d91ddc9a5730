// WriteFailure: how a write that stored nothing is answered, whatever message it came in.
#pragma once

#include <string>

#include "base/status.h"

namespace lockstep::api {

struct WriteFailure {
  int http_status = 0;
  std::string retry_after_seconds;  // for the header of that name; "" for none
};

// Precondition: `status` is an error of Ingester::Write().
WriteFailure WriteFailureOf(const absl::Status& status);

}  // namespace lockstep::api
