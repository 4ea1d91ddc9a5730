// `remediation` of a configuration file: what is to be done about alerts besides telling of them.
//
//   remediation:
//     dry_run: false           # true unless it is given: the log says what would be done
//     max_nodes: 2             # within the window; of an NVLink domain all together count as one
//     window: 24h
//     min_interval: 10m        # between two actions
//     hooks:
//     - name: drain
//       match: {action: drain}                 # labels that the alert has
//       node_labels: [Hostname, hostname]      # the first that the alert has names the node
//       domain_label: nvlink_domain            # if the alert has it, its value is acted on instead
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
  std::string domain_label;          // "": none
  std::vector<std::string> command;  // templates; empty: there is a webhook
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

// The value of the key. kInvalidArgument: "FILE line 7: ...".
absl::StatusOr<RemediationConfig> ReadRemediation(const std::string& path, const YAML::Node& node);

}  // namespace lockstep::rules
