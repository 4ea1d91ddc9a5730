// The verbs that ask a server something and print the answer.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/exit_code.h"
#include "cli/jobs.h"
#include "cli/query.h"
#include "cli/ranks.h"
#include "cli/report.h"

namespace lockstep::cli {

class AskingVerbs {
 public:
  // Adds them to `app`, which refers to this from then on.
  explicit AskingVerbs(CLI::App& app);
  AskingVerbs(const AskingVerbs&) = delete;
  AskingVerbs& operator=(const AskingVerbs&) = delete;

  // Whether one of them was typed.
  bool parsed() const;
  // Runs that one.
  ExitCode Run() const;

 private:
  QueryFlags query_;
  JobsFlags jobs_;
  RanksFlags ranks_;
  ReportFlags report_;
  CLI::App* const query_verb_;
  CLI::App* const jobs_verb_;
  CLI::App* const ranks_verb_;
  CLI::App* const report_verb_;
};

}  // namespace lockstep::cli
