// Who may do what, by the list `lockstep_roles` of the web configuration:
//
//   lockstep_roles:
//     - {user: alice, roles: [admin]}
//     - {token: trainer, roles: [push, write], jobs: "llm-.*"}   # of the whole label "job"
//     - {user: bob, roles: [read, write], tenants: [team-a]}     # "*": all; without it the default one,
//                                                              # or all for an admin
//     - {certificate_san: grafana.example, roles: [read]}        # DNS name, e-mail, URI or IP address
//     - {certificate_subject: "CN=agent,O=Example", roles: [write]}
//
// With the list nobody may do anything but what it says.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

#include "base/status.h"
#include "server/web_config.h"

namespace lockstep::server {

// Gives the users, tokens and certificates of `config` what `node` says. Precondition: all else was read. `path` is for
// messages.
absl::Status ReadRoles(const std::string& path, const YAML::Node& node, WebConfig& config);

}  // namespace lockstep::server
