#include "cli/help/usage_error.h"

#include <string_view>

#include "absl/strings/str_format.h"
#include "cli/help/command_tree.h"
#include "cli/help/did_you_mean.h"

namespace lockstep::cli {
namespace {

bool IsFlag(const std::string& argument) {
  const bool is_negative_number =
      argument.size() > 1 && (argument[1] == '.' || (argument[1] >= '0' && argument[1] <= '9'));
  return argument.size() > 1 && argument[0] == '-' && !is_negative_number;
}

// "--url" for "--url=http://...", "-h" for "-hx".
std::string FlagName(const std::string& argument) {
  return argument.starts_with("--") ? argument.substr(0, argument.find('='))
                                    : argument.substr(0, 2);
}

// How far the command line was parsed.
struct Position {
  CLI::App* command;
  std::string name;          // "lockstep rules check"
  std::string unknown_verb;  // "": none
  std::string unknown_flag;  // "": none
};

// Null if there is no such verb.
CLI::App* VerbOf(CLI::App& command, const std::string& name) {
  for (CLI::App* verb : command.get_subcommands({})) {
    if (verb->get_name() == name) return verb;
  }
  return nullptr;
}

Position Follow(CLI::App& program, const std::vector<std::string>& arguments) {
  Position at{&program, program.get_name(), "", ""};
  for (size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string& argument = arguments[i];
    if (IsFlag(argument)) {
      const std::string name = FlagName(argument);
      const CLI::Option* option = at.command->get_option_no_throw(name);
      if (option == nullptr || option->get_positional()) {
        at.unknown_flag = name;
        return at;
      }
      const bool has_own_value = argument.size() > name.size();
      const bool is_followed_by_value = i + 1 < arguments.size() && !IsFlag(arguments[i + 1]);
      if (option->get_expected_min() > 0 && !has_own_value && is_followed_by_value) ++i;
      continue;
    }
    if (at.command->get_subcommands({}).empty()) continue;
    CLI::App* verb = VerbOf(*at.command, argument);
    if (verb == nullptr) {
      at.unknown_verb = argument;
      return at;
    }
    at.command = verb;
    at.name += " " + verb->get_name();
  }
  return at;
}

std::vector<std::string> VerbsOf(const Command& command) {
  std::vector<std::string> verbs;
  for (const Command& verb : command.verbs) verbs.push_back(verb.word());
  return verbs;
}

std::vector<std::string> FlagsOf(const Command& command) {
  std::vector<std::string> flags;
  for (const CommandFlag& flag : command.flags) {
    flags.insert(flags.end(), flag.names.begin(), flag.names.end());
  }
  return flags;
}

std::string Listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string Sentence(const Position& at, const std::string& parser_message) {
  const Command command = TreeOf(*at.command, at.name);
  if (!at.unknown_verb.empty()) {
    return absl::StrFormat("%s has no verb \"%s\"%s", at.name, at.unknown_verb,
                           DidYouMean(at.unknown_verb, VerbsOf(command)));
  }
  if (!at.unknown_flag.empty()) {
    return absl::StrFormat("%s has no flag %s%s", at.name, at.unknown_flag,
                           DidYouMean(at.unknown_flag, FlagsOf(command)));
  }
  // The parser's message would not list the available verbs.
  const bool lacks_verb = !command.verbs.empty() && at.command->get_subcommands().empty() &&
                          at.command->get_require_subcommand_min() > 0;
  if (lacks_verb) {
    return absl::StrFormat("%s needs a verb: %s", at.name, Listed(VerbsOf(command)));
  }
  // Messages begin with the name of a flag, which is empty if the flag is hidden.
  const std::string_view message = parser_message;
  return absl::StrFormat("%s: %s", at.name, message.substr(message.starts_with(": ") ? 2 : 0));
}

std::string HelpToRead(const Position& at) {
  const size_t space = at.name.find(' ');
  const std::string program = at.name.substr(0, space);
  const std::string verbs = space == std::string::npos ? "" : at.name.substr(space);
  return absl::StrFormat("See: %s help%s", program, verbs);
}

}  // namespace

std::string UsageError(CLI::App& program, const std::vector<std::string>& arguments,
                       const std::string& parser_message) {
  const Position at = Follow(program, arguments);
  return absl::StrFormat("%s\n%s\n", Sentence(at, parser_message), HelpToRead(at));
}

}  // namespace lockstep::cli
