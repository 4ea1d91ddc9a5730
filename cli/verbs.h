// Verbs: what runs when a verb of the command line was typed. Not thread-safe.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <utility>
#include <vector>

#include "cli/exit_code.h"

namespace lockstep::cli {

class Verbs {
 public:
  // `run` owns what it needs, such as the variables that the verb's flags are parsed into.
  void Add(const CLI::App* verb, std::function<ExitCode()> run) {
    verbs_.emplace_back(verb, std::move(run));
  }

  // Runs the verb that was typed. Precondition: the command line was parsed, and it named one.
  ExitCode RunParsed() const {
    for (const auto& [verb, run] : verbs_) {
      if (verb->parsed()) return run();
    }
    return kUsage;
  }

 private:
  std::vector<std::pair<const CLI::App*, std::function<ExitCode()>>> verbs_;
};

}  // namespace lockstep::cli
