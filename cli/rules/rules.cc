#include "cli/rules/rules.h"

#include <chrono>
#include <cstdio>

#include "base/log.h"
#include "base/status.h"
#include "cli/process/temporary_folder.h"
#include "rules/config/rule_file.h"
#include "rules/unit_test/unit_test_run.h"
#include "storage/db/store.h"

namespace lockstep::cli {
namespace {

// Tests begin at the epoch, so retention must reach that far back.
constexpr std::chrono::milliseconds kRetention = std::chrono::hours(24 * 365 * 100);

absl::StatusOr<std::vector<std::string>> RunOne(const rules::TestFile& file,
                                                const rules::UnitTest& test) {
  const TemporaryFolder folder("rules");
  StoreOptions options;
  LOCKSTEP_ASSIGN_OR_RETURN(options.data_dir, folder.path());
  options.retention_ms = kRetention.count();
  options.shard_count = 1;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, OpenStore(options));
  auto failures = rules::RunUnitTest(file, test, *store);
  LOCKSTEP_RETURN_IF_ERROR(store->Close());
  return failures;
}

// Returns the number of failed tests.
absl::StatusOr<size_t> RunFile(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const rules::TestFile file, rules::ReadTestFile(path));
  size_t failed = 0;
  for (size_t i = 0; i < file.tests.size(); ++i) {
    const rules::UnitTest& test = file.tests[i];
    LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<std::string> failures, RunOne(file, test));
    if (failures.empty()) continue;
    ++failed;
    std::printf("  test %zu %s\n", i + 1, test.name.c_str());
    for (const std::string& failure : failures) std::printf("    %s\n", failure.c_str());
  }
  std::printf("%s: %zu tests, %zu failed\n", path.c_str(), file.tests.size(), failed);
  return failed;
}

}  // namespace

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

ExitCode TestRules(const std::vector<std::string>& paths) {
  ConfigureLog(LogLevel::kError, LogFormat::kLogfmt);
  ExitCode code = kSuccess;
  for (const std::string& path : paths) {
    const absl::StatusOr<size_t> failed = RunFile(path);
    if (!failed.ok()) {
      std::fprintf(stderr, "lockstep: %s\n", std::string(Message(failed.status())).c_str());
      code = kUsage;
    } else if (*failed > 0 && code == kSuccess) {
      code = kFailure;
    }
  }
  return code;
}

}  // namespace lockstep::cli
