// Command: the verbs of the program, with their flags and arguments, as plain data.
//
// It is read off the CLI::App that parses the command line, so that help, completion and the manual page know exactly
// what the program takes. Hidden flags (those in no group) are left out.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lockstep::cli {

enum class FlagValue { kNone, kOptional, kRequired };

struct CommandFlag {
  std::vector<std::string> names;  // "-h", "--help"
  FlagValue value = FlagValue::kNone;
  std::string value_name;  // "URL"; "" without a value
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
  std::string name;  // as it is typed: "lockstep rules check"
  std::string help;
  std::string footer;
  std::vector<CommandFlag> flags;
  std::vector<CommandArgument> arguments;
  std::vector<Command> verbs;

  // The last word of its name.
  std::string word() const;
};

Command TreeOf(const CLI::App& program);
// `name` is how `verb` is typed, the program included.
Command TreeOf(const CLI::App& verb, const std::string& name);

// "lockstep query [FLAGS] EXPR"
std::string UsageOf(const Command& command);
// "--watch[=SECONDS]", "-h, --help"
std::string SpellingOf(const CommandFlag& flag);

}  // namespace lockstep::cli
