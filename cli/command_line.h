// The command line of the program: its verbs with their flags, in groups. What a verb does is elsewhere.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/verbs.h"

namespace lockstep::cli {

// Each adds verbs to `program`, and to `verbs` what they run.
void AddDemoVerb(CLI::App& program, Verbs& verbs);
void AddServerVerbs(CLI::App& program, Verbs& verbs);   // serve, check, backup, restore
void AddAskingVerbs(CLI::App& program, Verbs& verbs);   // jobs, ranks, report, query
void AddSendingVerbs(CLI::App& program, Verbs& verbs);  // import, tail
void AddRulesVerbs(CLI::App& program, Verbs& verbs);    // rules check, rules test, rules backfill
void AddAboutVerbs(CLI::App& program, Verbs& verbs);    // help, version, completion

}  // namespace lockstep::cli
