// Who may do what: the roles that credentials have and routes ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/matcher.h"

namespace lockstep::api {

enum class Role : uint8_t {
  kNone,   // asked by a route: no credential at all
  kAny,    // asked by what is no route, or changes nothing: a credential, whatever its roles
  kRead,   // queries, series, targets, rules, alerts, the page
  kWrite,  // remote write, OTLP, InfluxDB line protocol and what else brings samples
  kPush,   // logs, steps, registrations of jobs
  kRules,  // reading the configuration and its rules again
  kMetrics,
  kCrossTenant,  // reading several tenants at once
  kAdmin,        // everything
};

// "read".
std::string_view Name(Role role);
// Of a role that a credential can have.
std::optional<Role> ParseRole(std::string_view name);

class RoleSet {
 public:
  static RoleSet All() { return RoleSet(BitOf(Role::kAdmin)); }
  RoleSet() = default;

  void Add(Role role) { bits_ |= BitOf(role); }
  // Whether who has these may do what asks for `role`.
  bool Allows(Role role) const {
    return role <= Role::kAny || (bits_ & (BitOf(role) | BitOf(Role::kAdmin))) != 0;
  }
  // Whether all of these are roles that `jobs` of a grant can bound.
  bool CanBeHeldToJobs() const {
    return (bits_ & ~(BitOf(Role::kRead) | BitOf(Role::kWrite) | BitOf(Role::kPush) |
                      BitOf(Role::kCrossTenant))) == 0;
  }

 private:
  static constexpr uint32_t BitOf(Role role) { return 1u << static_cast<unsigned>(role); }
  explicit RoleSet(uint32_t bits) : bits_(bits) {}

  uint32_t bits_ = 0;
};

// What a credential may do.
struct Grant {
  RoleSet roles = RoleSet::All();
  // A condition on the label "job" of all that is read and written; nothing: any job.
  std::optional<Matcher> jobs{};
  // The tenants whose data these are, by their names in the store; nothing: any tenant.
  std::optional<std::vector<std::string>> tenants{};
  uint64_t max_samples_per_second = 0;  // that it may bring; 0: no limit of its own
};

// Who sent a request.
struct Principal {
  std::string name;  // "" when nobody has to say who they are
  Grant grant;
};

}  // namespace lockstep::api
