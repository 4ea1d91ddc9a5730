#include "catalogue/roles.h"

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

}  // namespace lockstep::catalogue
