#include "catalogue/roles.h"

#include <algorithm>

namespace lockstep::catalogue {

std::string_view Name(RoleScope scope) {
  switch (scope) {
    case RoleScope::kGpu:
      return "gpu";
    case RoleScope::kRank:
      return "rank";
    case RoleScope::kHost:
      return "host";
    case RoleScope::kNic:
      break;
  }
  return "nic";
}

std::string_view Name(RoleKind kind) { return kind == RoleKind::kTotal ? "total" : "gauge"; }

const RoleInfo& InfoOf(Role role) { return AllRoles()[static_cast<size_t>(role)]; }

std::optional<Role> RoleNamed(std::string_view name) {
  const auto info = std::ranges::find(AllRoles(), name, &RoleInfo::name);
  if (info == AllRoles().end()) return std::nullopt;
  return info->role;
}

}  // namespace lockstep::catalogue
