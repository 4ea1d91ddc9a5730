#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/help/command_tree.h"
#include "cli/help/help_text.h"
#include "cli/help/usage_error.h"
#include "cli/help/version.h"

namespace lockstep::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit status: 0 done; 1 failed; 2 bad command line or configuration; "
    "3 imported, but some files, lines or samples were skipped.";

// Help has its own formatter because CLI11's output differs between releases.
std::string FormatHelp(const CLI::App* app, const std::string& name, CLI::AppFormatMode) {
  return HelpText(TreeOf(*app, name));
}

}  // namespace

ExitCode RunProgram(int count, const char* const* arguments) {
  CLI::App program("Metrics store and query server for fleets that train large models.",
                   "lockstep");
  program.formatter_fn(FormatHelp);
  program.set_help_flag("-h,--help", "Print this help.");
  program.set_version_flag("--version", VersionLine(), "Print the version.");
  program.require_subcommand(1);
  Verbs verbs;
  AddDemoVerb(program, verbs);
  AddServerVerbs(program, verbs);
  AddAskingVerbs(program, verbs);
  AddSendingVerbs(program, verbs);
  AddRulesVerbs(program, verbs);
  AddAboutVerbs(program, verbs);
  // Set last, because subcommands inherit what is set before they are added.
  program.footer(kExitCodes);
  if (count < 2) {
    std::fputs(program.help().c_str(), stderr);
    return kUsage;
  }
  try {
    program.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    // --help and --version.
    if (error.get_exit_code() == 0) {
      program.exit(error);
      return kSuccess;
    }
    const std::vector<std::string> typed(arguments + 1, arguments + count);
    std::fputs(UsageError(program, typed, error.what()).c_str(), stderr);
    return kUsage;
  }
  return verbs.RunParsed();
}

}  // namespace lockstep::cli
