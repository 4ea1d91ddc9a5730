// `remediation` of a configuration file: actions on alerts in addition to notifications.
//
//   remediation:
//     dry_run: false           # default true: only log what would be done
//     max_nodes: 2             # per window; an NVLink domain counts as one node
//     window: 24h
//     min_interval: 10m        # between two actions
//     hooks:
//     - name: drain
//       match: {action: drain}                 # labels that the alert must have
//       node_labels: [Hostname, hostname]      # the first one present names the node
//       domain_label: nvlink_domain            # if present, its value is used instead of the node
//       command: [/usr/local/bin/drain, "{{ $labels.Hostname }}"]   # or webhook: URL
//       timeout: 2m
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "rules/config/rule_group.h"

namespace lockstep::rules {

inline constexpr std::string_view kRemediationKey = "remediation";

struct HookConfig {
  std::string name;
  Texts match;
  std::vector<std::string> node_labels = {"Hostname", "hostname", "node", "instance"};
  std::string domain_label;          // "" if none
  std::vector<std::string> command;  // templates; empty if there is a webhook
  std::string webhook;
  milliseconds timeout{120'000};
};

struct RemediationConfig {
  bool dry_run = true;
  uint64_t max_nodes = 1;
  milliseconds window{24 * 3600'000};
  milliseconds min_interval{10 * 60'000};
  std::vector<HookConfig> hooks;
};

// Reads the value of the key. Returns kInvalidArgument ("FILE line 7: ...") for errors.
absl::StatusOr<RemediationConfig> ReadRemediation(const std::string& path, const YAML::Node& node);

}  // namespace lockstep::rules
