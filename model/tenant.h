// Tenants: groups of people who share a store and do not see each other's samples.
//
// The series of a tenant have an additional label, kTenantLabel, whose value is the tenant's name;
// those of the default tenant, whose name is "", do not. The label's name sorts before every other
// name, so series have the same order with and without it. Only the store and the module `tenants`
// see the label. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "model/labels.h"

namespace lockstep {

// One zero byte. Senders may not use this name. On disk (docs/formats/labels.md).
inline constexpr std::string_view kTenantLabel{"\0", 1};
// The public name of the default tenant.
inline constexpr std::string_view kDefaultTenantName = "default";

// The store's name of the tenant that a client calls `id`: "" for "default". kInvalidArgument
// unless `id` is 1 to 150 letters, digits and !-_.*'() and is neither "." nor "..", as in Grafana
// Mimir.
absl::StatusOr<std::string> TenantOfId(std::string_view id);
// The inverse.
std::string_view IdOfTenant(std::string_view tenant);

// "" for the default tenant.
std::string_view TenantOf(const LabelSet& labels);
// Precondition: `labels` belong to the default tenant.
LabelSet WithTenant(std::string_view tenant, const LabelSet& labels);
LabelSet WithoutTenant(const LabelSet& labels);

}  // namespace lockstep
