// Rule files as Prometheus 3 writes them:
//
//   groups:
//   - name: gpus
//     interval: 15s
//     rules:
//     - record: job:gpu_power_watts:sum
//       expr: sum by (job) (DCGM_FI_DEV_POWER_USAGE)
//     - alert: GpuIsHot
//       expr: DCGM_FI_DEV_GPU_TEMP > 80
//       for: 5m
//       annotations: {summary: "{{ $labels.gpu }} has {{ $value }} degrees"}
//
// Every key has to be known; every complaint names its line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "query/promql/parser.h"
#include "rules/config/rule_group.h"

namespace lockstep::rules {

// What groups have that do not say otherwise, and the language of all expressions.
struct GroupDefaults {
  milliseconds interval{60'000};
  milliseconds query_offset{};
  promql::Dialect dialect = promql::Dialect::kMetricsql;
};

// kInvalidArgument: "FILE line 7: ...".
absl::StatusOr<std::vector<RuleGroup>> ParseRuleFile(std::string_view yaml, const std::string& path,
                                                     const GroupDefaults& defaults);
absl::StatusOr<std::vector<RuleGroup>> ReadRuleFile(const std::string& path,
                                                    const GroupDefaults& defaults);

// The groups of all files that the patterns stand for, by file and name. A pattern is an absolute path whose
// last part may have a '*'; one that fits no file stands for none.
absl::StatusOr<std::vector<RuleGroup>> ReadRuleFiles(const std::vector<std::string>& patterns,
                                                     const GroupDefaults& defaults);

}  // namespace lockstep::rules
