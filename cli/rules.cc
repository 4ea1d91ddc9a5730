#include "cli/rules.h"

#include <cstdio>

#include "base/status.h"
#include "rules/config/rule_file.h"

namespace lockstep::cli {

ExitCode CheckRules(const RulesCheck& check) {
  rules::GroupDefaults defaults;
  if (!check.metricsql) defaults.dialect = promql::Dialect::kPromql;
  ExitCode code = kSuccess;
  for (const std::string& path : check.paths) {
    const auto groups = rules::ReadRuleFile(path, defaults);
    if (!groups.ok()) {
      std::fprintf(stderr, "lockstep: %s\n", std::string(Message(groups.status())).c_str());
      code = kUsage;
      continue;
    }
    size_t count = 0;
    for (const rules::RuleGroup& group : *groups) count += group.rules.size();
    std::printf("%s is fine: %zu groups, %zu rules\n", path.c_str(), groups->size(), count);
  }
  return code;
}

}  // namespace lockstep::cli
