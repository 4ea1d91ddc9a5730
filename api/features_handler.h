// /api/v1/features: which parts of Prometheus' language and API there are, under the names that
// Prometheus 3.14 gives them. Quick; safe from any thread.
#pragma once

#include "api/http.h"

namespace lockstep::api {

// What the server's flags decide.
struct SwitchedFeatures {
  bool admin = false;
  bool lifecycle = false;
  bool takes_writes = true;
};

Response HandleFeatures(const SwitchedFeatures& switched);

}  // namespace lockstep::api
