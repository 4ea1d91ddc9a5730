// Access control: the roles that credentials have and routes require.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/matcher.h"

namespace lockstep::api {

enum class Role : uint8_t {
  kNone,   // required by a route: no credential at all
  kAny,    // required by unknown paths and harmless routes: a credential with any role
  kRead,   // queries, series, targets, rules, alerts, the page
  kWrite,  // remote write, OTLP, InfluxDB line protocol and other ways to write samples
  kPush,   // logs, steps, registrations of jobs
  kRules,  // reloading the configuration and its rules
  kMetrics,
  kCrossTenant,  // reading several tenants at once
  kAdmin,        // everything
};

// "read".
std::string_view Name(Role role);
// Parses a role that a credential can have.
std::optional<Role> ParseRole(std::string_view name);

class RoleSet {
 public:
  static RoleSet All() { return RoleSet(BitOf(Role::kAdmin)); }
  RoleSet() = default;

  void Add(Role role) { bits_ |= BitOf(role); }
  // Whether a credential with these roles may use what requires `role`.
  bool Allows(Role role) const {
    return role <= Role::kAny || (bits_ & (BitOf(role) | BitOf(Role::kAdmin))) != 0;
  }
  // Whether all of these roles can be restricted by a grant's `jobs`.
  bool CanBeHeldToJobs() const {
    return (bits_ & ~(BitOf(Role::kRead) | BitOf(Role::kWrite) | BitOf(Role::kPush) |
                      BitOf(Role::kCrossTenant))) == 0;
  }

 private:
  static constexpr uint32_t BitOf(Role role) { return 1u << static_cast<unsigned>(role); }
  explicit RoleSet(uint32_t bits) : bits_(bits) {}

  uint32_t bits_ = 0;
};

// The permissions of a credential.
struct Grant {
  RoleSet roles = RoleSet::All();
  // A matcher on the label "job" of everything read and written; nullopt allows any job.
  std::optional<Matcher> jobs{};
  // The names of the accessible tenants, as in the store; nullopt allows any tenant.
  std::optional<std::vector<std::string>> tenants{};
  uint64_t max_samples_per_second = 0;  // write limit; 0: no limit of its own
};

// The sender of a request.
struct Principal {
  std::string name;  // "" when authentication is off
  Grant grant;
};

}  // namespace lockstep::api
