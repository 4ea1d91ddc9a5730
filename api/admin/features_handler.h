// /api/v1/features: the supported parts of Prometheus' language and API, under the names that
// Prometheus 3.14 uses. Quick; safe from any thread.
#pragma once

#include "api/http/http.h"

namespace lockstep::api {

// Features that depend on the server's flags.
struct SwitchedFeatures {
  bool admin = false;
  bool lifecycle = false;
  bool takes_writes = true;
};

Response HandleFeatures(const SwitchedFeatures& switched);

}  // namespace lockstep::api
