// The verbs for rule files.
#include <memory>
#include <string>
#include <vector>

#include "cli/client/server_flags.h"
#include "cli/command_line.h"
#include "cli/rules/rule_backfill.h"
#include "cli/rules/rules.h"

namespace lockstep::cli {
namespace {

CLI::App* AddRulesVerb(CLI::App& rules, const char* name, const char* help,
                       std::vector<std::string>& files, const char* files_help) {
  CLI::App* verb = rules.add_subcommand(name, help);
  verb->add_option("FILE", files, files_help)->required();
  return verb;
}

}  // namespace

void AddRulesVerbs(CLI::App& program, Verbs& verbs) {
  CLI::App* rules = program.add_subcommand("rules", "Check, test and backfill rule files.");
  rules->require_subcommand(1);

  auto checked = std::make_shared<RulesCheck>();
  CLI::App* check = AddRulesVerb(*rules, "check", "Check rule files for errors.", checked->paths,
                                 "The rule files.");
  check
      ->add_option("--query.metricsql", checked->metricsql,
                   "The server's setting; false allows PromQL only. [true]")
      ->type_name("BOOL");
  verbs.Add(check, [checked] { return CheckRules(*checked); });

  auto tested = std::make_shared<std::vector<std::string>>();
  verbs.Add(AddRulesVerb(*rules, "test", "Run unit tests of rules, in promtool's format.", *tested,
                         "The test files."),
            [tested] { return TestRules(*tested); });

  auto flags = std::make_shared<BackfillFlags>();
  CLI::App* backfill = AddRulesVerb(
      *rules, "backfill",
      "Evaluate recording rules over a server's past data and write the results to it.",
      flags->files, "The rule files.");
  AddServerFlags(*backfill, "", flags->server);
  backfill->add_option("--start", flags->start, "Start of the time range, in Unix seconds.")
      ->type_name("TIME")
      ->required();
  backfill->add_option("--end", flags->end, "End of the time range, in Unix seconds.")
      ->type_name("TIME")
      ->required();
  backfill
      ->add_option("--eval-interval", flags->evaluation_interval,
                   "Interval of groups that do not set one. [1m]")
      ->type_name("DURATION");
  verbs.Add(backfill, [flags] { return BackfillRules(*flags); });
}

}  // namespace lockstep::cli
