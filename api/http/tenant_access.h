// The tenants whose data a request uses: selected with the header X-Scope-OrgID, as in Grafana
// Mimir, within the limits of the credential.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/http/http.h"
#include "base/status.h"

namespace lockstep::api {

// Returns distinct names as in the store. Without the header: the tenant of a credential that has
// exactly one, else the default tenant. Fails with kInvalidArgument if the header contains no valid
// tenants, and with kPermissionDenied if the credential does not give access to them, or lacks the
// role cross-tenant for several at once.
absl::StatusOr<std::vector<std::string>> TenantsOf(const Request& request);

// Tenants as shown in logs: those in `header`, "a|b", or without a header those that `grant`
// implies. "" for the default tenant, and for a header without tenants.
std::string TenantsForLogs(std::string_view header, const Grant& grant);

inline constexpr std::string_view kTenantHeader = "X-Scope-OrgID";

}  // namespace lockstep::api
