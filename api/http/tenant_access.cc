#include "api/http/tenant_access.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "model/tenant.h"

namespace lockstep::api {
namespace {

constexpr size_t kMaxTenantsOfRequest = 64;

std::string Joined(const std::vector<std::string>& tenants, std::string_view between) {
  std::string text;
  for (const std::string& tenant : tenants) {
    absl::StrAppendFormat(&text, "%s%s", text.empty() ? "" : between, IdOfTenant(tenant));
  }
  return text;
}

bool IsFor(const Grant& grant, const std::string& tenant) {
  return !grant.tenants.has_value() ||
         std::ranges::find(*grant.tenants, tenant) != grant.tenants->end();
}

absl::StatusOr<std::vector<std::string>> Parse(std::string_view header) {
  std::vector<std::string> tenants;
  for (size_t begin = 0; begin <= header.size();) {
    const size_t end = std::min(header.find('|', begin), header.size());
    absl::StatusOr<std::string> tenant = TenantOfId(header.substr(begin, end - begin));
    if (!tenant.ok()) return Annotate(tenant.status(), kTenantHeader);
    begin = end + 1;
    if (std::ranges::find(tenants, *tenant) != tenants.end()) continue;
    if (tenants.size() == kMaxTenantsOfRequest) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s names more than %d tenants", kTenantHeader, kMaxTenantsOfRequest));
    }
    tenants.push_back(*std::move(tenant));
  }
  return tenants;
}

absl::StatusOr<std::vector<std::string>> Implied(const Grant& grant) {
  if (grant.tenants.has_value() && grant.tenants->size() == 1) return *grant.tenants;
  if (IsFor(grant, "")) return std::vector<std::string>{""};
  return absl::PermissionDeniedError(absl::StrFormat(
      "this credential gives access to the tenants %s; select one of them with the header %s",
      Joined(*grant.tenants, ", "), kTenantHeader));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> TenantsOf(const Request& request) {
  const std::string_view header = request.header(kTenantHeader);
  if (header.empty()) return Implied(request.grant);
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<std::string> tenants, Parse(header));
  for (const std::string& tenant : tenants) {
    if (IsFor(request.grant, tenant)) continue;
    return absl::PermissionDeniedError(absl::StrFormat(
        "this credential does not give access to the tenant \"%s\"", IdOfTenant(tenant)));
  }
  if (tenants.size() > 1 && !request.grant.roles.Allows(Role::kCrossTenant)) {
    return absl::PermissionDeniedError(
        "reading several tenants at once requires the role cross-tenant");
  }
  return tenants;
}

std::string TenantsForLogs(std::string_view header, const Grant& grant) {
  const absl::StatusOr<std::vector<std::string>> tenants =
      header.empty() ? Implied(grant) : Parse(header);
  const bool are_others = tenants.ok() && *tenants != std::vector<std::string>{""};
  return are_others ? Joined(*tenants, "|") : "";
}

}  // namespace lockstep::api
