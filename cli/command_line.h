// The program's command line: its verbs and their flags, in groups. The verbs are implemented
// elsewhere.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <utility>
#include <vector>

#include "cli/process/exit_code.h"

namespace lockstep::cli {

// Maps the verbs of the command line to what they run. Not thread-safe.
class Verbs {
 public:
  // `run` must own what it needs, such as the variables that the verb's flags are parsed into.
  void Add(const CLI::App* verb, std::function<ExitCode()> run) {
    verbs_.emplace_back(verb, std::move(run));
  }

  // Runs the verb that was typed. Precondition: the command line was parsed and contained one.
  ExitCode RunParsed() const {
    for (const auto& [verb, run] : verbs_) {
      if (verb->parsed()) return run();
    }
    return kUsage;
  }

 private:
  std::vector<std::pair<const CLI::App*, std::function<ExitCode()>>> verbs_;
};

// Each adds verbs to `program` and registers what they run in `verbs`.
void AddDemoVerb(CLI::App& program, Verbs& verbs);
void AddServerVerbs(CLI::App& program, Verbs& verbs);   // serve, check, backup, restore
void AddAskingVerbs(CLI::App& program, Verbs& verbs);   // jobs, ranks, report, hang, query
void AddSendingVerbs(CLI::App& program, Verbs& verbs);  // import, tail
void AddRulesVerbs(CLI::App& program, Verbs& verbs);    // rules check, rules test, rules backfill
void AddAboutVerbs(CLI::App& program, Verbs& verbs);    // help, version, completion

// The same check without its description, which CLI11 would append to the value's name in the help.
inline CLI::Validator Unexplained(CLI::Validator validator) { return validator.description(""); }

}  // namespace lockstep::cli
