#include "api/http/access.h"

#include <iterator>

namespace lockstep::api {
namespace {

constexpr std::string_view kRoleNames[] = {"none",  "any",     "read",         "write", "push",
                                           "rules", "metrics", "cross-tenant", "admin"};

}  // namespace

std::string_view Name(Role role) { return kRoleNames[static_cast<size_t>(role)]; }

std::optional<Role> ParseRole(std::string_view name) {
  for (auto i = static_cast<size_t>(Role::kRead); i < std::size(kRoleNames); ++i) {
    if (kRoleNames[i] == name) return static_cast<Role>(i);
  }
  return std::nullopt;
}

}  // namespace lockstep::api
