// Rule files in the format of Prometheus 3:
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
//       annotations: {summary: "{{ $labels.gpu }} is at {{ $value }} degrees"}
//
// Unknown keys are errors; every error names its line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "query/promql/parser/parser.h"
#include "rules/config/rule_group.h"

namespace lockstep::rules {

// Defaults for groups, and the language of all expressions.
struct GroupDefaults {
  milliseconds interval{60'000};
  milliseconds query_offset{};
  promql::Dialect dialect = promql::Dialect::kMetricsql;
};

// Returns kInvalidArgument ("FILE line 7: ...") for errors.
absl::StatusOr<std::vector<RuleGroup>> ParseRuleFile(std::string_view yaml, const std::string& path,
                                                     const GroupDefaults& defaults);
absl::StatusOr<std::vector<RuleGroup>> ReadRuleFile(const std::string& path,
                                                    const GroupDefaults& defaults);

// Reads the groups of all files that match the patterns, sorted by file and name. A pattern is an
// absolute path whose last component may contain '*'. A pattern that matches no file is not an
// error.
absl::StatusOr<std::vector<RuleGroup>> ReadRuleFiles(const std::vector<std::string>& patterns,
                                                     const GroupDefaults& defaults);

}  // namespace lockstep::rules
