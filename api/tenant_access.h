// Whose data a request means: the header X-Scope-OrgID, as Grafana Mimir has it, within what the
// credential may.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/http.h"
#include "base/status.h"

namespace lockstep::api {

// By their names in the store, each once. Without the header: the tenant of a credential that has
// just one, else the default tenant. kInvalidArgument if the header names no tenants;
// kPermissionDenied if the credential is not for them, or names several at once without the role
// cross-tenant.
absl::StatusOr<std::vector<std::string>> TenantsOf(const Request& request);

// As logs name them: those that `header` names, "a|b", or without it those that `grant` implies. ""
// for the default tenant, and for a header that names none.
std::string TenantsForLogs(std::string_view header, const Grant& grant);

inline constexpr std::string_view kTenantHeader = "X-Scope-OrgID";

}  // namespace lockstep::api
