// Command: the program's verbs with their flags and arguments, as plain data.
//
// Derived from the CLI::App that parses the command line, so help, completion and the manual page
// always match what the program accepts. Hidden flags and verbs (those in no group) are omitted.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lockstep::cli {

enum class FlagValue { kNone, kOptional, kRequired };

struct CommandFlag {
  std::vector<std::string> names;  // "-h", "--help"
  FlagValue value = FlagValue::kNone;
  std::string value_name;  // "URL"; "" if the flag takes no value
  std::string help;
  bool is_required = false;
};

struct CommandArgument {
  std::string name;  // "FILE"
  std::string help;
  bool is_required = false;
  bool is_repeatable = false;
};

struct Command {
  std::string name;  // as typed: "lockstep rules check"
  std::string help;
  std::string footer;
  std::vector<CommandFlag> flags;
  std::vector<CommandArgument> arguments;
  std::vector<Command> verbs;

  // The last word of the name.
  std::string word() const;
};

// The whole program.
Command TreeOf(const CLI::App& program);
// One verb with those below it. `name` is how `verb` is typed, including the program's name.
Command TreeOf(const CLI::App& verb, const std::string& name);

// "lockstep query [FLAGS] EXPR"
std::string UsageOf(const Command& command);
// "--watch[=SECONDS]", "-h, --help"
std::string SpellingOf(const CommandFlag& flag);

}  // namespace lockstep::cli
