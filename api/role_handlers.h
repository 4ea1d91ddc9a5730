// GET /api/v1/training/roles?metric=: the roles of metrics and the names that have them. Quick; safe from any thread.
#pragma once

#include "api/call.h"
#include "api/http.h"

namespace lockstep::api {

// All roles, or with `metric` those that the name may have.
Response HandleRoles(const Call& call);

}  // namespace lockstep::api
