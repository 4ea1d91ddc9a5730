#include "cli/check.h"

#include <cstdio>

#include "base/status.h"
#include "cli/config_file.h"
#include "cli/serve_options.h"
#include "rules/config/rules_config.h"
#include "scrape/config/scrape_config_file.h"
#include "server/tls_context.h"
#include "server/web_config.h"

namespace lockstep::cli {
namespace {

absl::Status ConfigStatus(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<GivenValue> values, ReadConfig(path));
  LOCKSTEP_ASSIGN_OR_RETURN(const ServeOptions options, MakeServeOptions(values));
  LOCKSTEP_RETURN_IF_ERROR(scrape::ReadScrapeConfigs(path).status());
  LOCKSTEP_ASSIGN_OR_RETURN(rules::RulesConfig config, rules::ReadRulesConfig(path));
  config.defaults.dialect = DialectOf(options);
  return rules::ReadRuleFiles(config.rule_files, config.defaults).status();
}

absl::Status WebConfigStatus(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const server::WebConfig config, server::ReadWebConfig(path));
  if (!config.tls) return absl::OkStatus();
  return server::TlsContext::Make(*config.tls).status();
}

ExitCode Report(const std::string& path, const absl::Status& status) {
  if (status.ok()) {
    std::printf("%s is fine\n", path.c_str());
    return kSuccess;
  }
  std::fprintf(stderr, "lockstep: %s\n", std::string(Message(status)).c_str());
  return kUsage;
}

}  // namespace

ExitCode CheckConfig(const std::string& path) { return Report(path, ConfigStatus(path)); }

ExitCode CheckWebConfig(const std::string& path) { return Report(path, WebConfigStatus(path)); }

}  // namespace lockstep::cli
