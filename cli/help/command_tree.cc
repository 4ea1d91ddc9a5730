#include "cli/help/command_tree.h"

namespace lockstep::cli {
namespace {

CommandFlag FlagOf(const CLI::Option& option) {
  CommandFlag flag;
  for (const std::string& name : option.get_snames()) flag.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flag.names.push_back("--" + name);
  flag.value_name = option.get_type_name();
  if (option.get_expected_min() > 0) {
    flag.value = FlagValue::kRequired;
  } else if (!flag.value_name.empty()) {
    flag.value = FlagValue::kOptional;
  }
  flag.help = option.get_description();
  flag.is_required = option.get_required();
  return flag;
}

CommandArgument ArgumentOf(const CLI::Option& option) {
  return {option.get_name(true, false), option.get_description(), option.get_required(),
          option.get_expected_max() > 1};
}

}  // namespace

std::string Command::word() const { return name.substr(name.rfind(' ') + 1); }

Command TreeOf(const CLI::App& program) { return TreeOf(program, program.get_name()); }

Command TreeOf(const CLI::App& verb, const std::string& name) {
  Command command;
  command.name = name;
  command.help = verb.get_description();
  command.footer = verb.get_footer();
  // In CLI11, what is in no group is hidden.
  for (const CLI::Option* option : verb.get_options()) {
    if (option->get_group().empty()) continue;
    if (option->get_positional()) {
      command.arguments.push_back(ArgumentOf(*option));
    } else {
      command.flags.push_back(FlagOf(*option));
    }
  }
  for (const CLI::App* below : verb.get_subcommands({})) {
    if (below->get_group().empty()) continue;
    command.verbs.push_back(TreeOf(*below, name + " " + below->get_name()));
  }
  return command;
}

std::string UsageOf(const Command& command) {
  std::string usage = command.name;
  if (!command.verbs.empty()) usage += " VERB";
  if (!command.flags.empty()) usage += " [FLAGS]";
  for (const CommandArgument& argument : command.arguments) {
    const std::string shown = argument.name + (argument.is_repeatable ? "..." : "");
    usage += argument.is_required ? " " + shown : " [" + shown + "]";
  }
  return usage;
}

std::string SpellingOf(const CommandFlag& flag) {
  std::string text;
  for (const std::string& name : flag.names) text += (text.empty() ? "" : ", ") + name;
  if (flag.value == FlagValue::kRequired) return text + " " + flag.value_name;
  if (flag.value == FlagValue::kOptional) return text + "[=" + flag.value_name + "]";
  return text;
}

}  // namespace lockstep::cli
