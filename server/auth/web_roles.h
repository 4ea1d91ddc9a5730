// Access control by the list `lockstep_roles` in the web configuration:
//
//   lockstep_roles:
//     - {user: alice, roles: [admin]}
//     - {token: trainer, roles: [push, write], jobs: "llm-.*"}   # matches the whole label "job"
//     - {user: bob, roles: [read, write], tenants: [team-a]}     # "*": all; by default the
//                                                              # default tenant, all for an admin
//     - {certificate_san: grafana.example, roles: [read]}        # DNS name, e-mail, URI or IP
//     - {certificate_subject: "CN=agent,O=Example", roles: [write]}
//
// With this list, anything it does not permit is forbidden.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

#include "base/status.h"
#include "server/auth/web_config.h"

namespace lockstep::server {

// Gives the users, tokens and certificates of `config` the grants in `node`. Precondition:
// everything else was read. `path` is used in messages.
absl::Status ReadRoles(const std::string& path, const YAML::Node& node, WebConfig& config);

}  // namespace lockstep::server
