// GET /api/v1/training/roles?metric=: the roles of metrics, and the metric names that have them.
// Quick; safe from any thread.
#pragma once

#include "api/http/call.h"
#include "api/http/http.h"

namespace lockstep::api {

// Returns all roles, or with `metric` those that the name may have.
Response HandleRoles(const Call& call);

}  // namespace lockstep::api
