// Whose data a request means: the header X-Scope-OrgID, as Grafana Mimir has it, within what the
// credential may.
#pragma once

#include <string>
#include <vector>

#include "api/http.h"
#include "base/status.h"

namespace lockstep::api {

// By their names in the store, each once. Without the header: the tenant of a credential that has
// just one, else the default tenant. kInvalidArgument if the header names no tenants;
// kPermissionDenied if the credential is not for them, or names several at once without the role
// cross-tenant.
absl::StatusOr<std::vector<std::string>> TenantsOf(const Request& request);

}  // namespace lockstep::api
