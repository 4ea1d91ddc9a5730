#include "cli/help/completion.h"

#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"

namespace lockstep::cli {
namespace {

// What kind of value or argument to complete, derived from its name in the help.
enum class Operand { kOther, kFile, kFolder, kVerb, kShell };

Operand OperandOf(std::string_view name) {
  if (name == "FILE" || name == "PATH") return Operand::kFile;
  if (name == "DIR" || name == "FOLDER") return Operand::kFolder;
  if (name == "VERB") return Operand::kVerb;
  if (name == "SHELL") return Operand::kShell;
  return Operand::kOther;
}

constexpr const char* kShells = "bash zsh";

std::string VerbWords(const Command& command) {
  std::string words;
  for (const Command& verb : command.verbs) words += (words.empty() ? "" : " ") + verb.word();
  return words;
}

void CollectCommands(const Command& command, std::vector<const Command*>& all) {
  all.push_back(&command);
  for (const Command& verb : command.verbs) CollectCommands(verb, all);
}

// The program and all its verbs.
std::vector<const Command*> AllCommands(const Command& program) {
  std::vector<const Command*> all;
  CollectCommands(program, all);
  return all;
}

// --- bash ---------------------------------------------------------------------------------

// A `case` pattern: "--data|--log.level", or "" if no flag takes such a value.
std::string BashFlagPattern(const Command& command, bool (*is_wanted)(const CommandFlag&)) {
  std::string pattern;
  for (const CommandFlag& flag : command.flags) {
    if (!is_wanted(flag)) continue;
    for (const std::string& name : flag.names) pattern += (pattern.empty() ? "" : "|") + name;
  }
  return pattern;
}

bool TakesFile(const CommandFlag& flag) {
  return flag.value == FlagValue::kRequired && OperandOf(flag.value_name) == Operand::kFile;
}
bool TakesFolder(const CommandFlag& flag) {
  return flag.value == FlagValue::kRequired && OperandOf(flag.value_name) == Operand::kFolder;
}
bool TakesOther(const CommandFlag& flag) {
  return flag.value == FlagValue::kRequired && OperandOf(flag.value_name) == Operand::kOther;
}

// Completions for a word that is neither a flag nor a flag's value.
std::string BashWords(const Command& command, const Command& program) {
  if (!command.verbs.empty()) return absl::StrFormat("-W '%s'", VerbWords(command));
  if (command.arguments.empty()) return "";
  switch (OperandOf(command.arguments.front().name)) {
    case Operand::kFile:
      return "-f";
    case Operand::kFolder:
      return "-d";
    case Operand::kVerb:
      return absl::StrFormat("-W '%s'", VerbWords(program));
    case Operand::kShell:
      return absl::StrFormat("-W '%s'", kShells);
    case Operand::kOther:
      break;
  }
  return "";
}

std::string BashCase(const Command& command, const Command& program) {
  std::string flags;
  for (const CommandFlag& flag : command.flags) {
    for (const std::string& name : flag.names) flags += (flags.empty() ? "" : " ") + name;
  }
  std::string text = absl::StrFormat("    '%s')\n      flags='%s'\n", command.name, flags);
  const std::string words = BashWords(command, program);
  if (!words.empty()) absl::StrAppendFormat(&text, "      words=\"%s\"\n", words);
  text += "      case $prev in\n";
  const std::pair<const char*, bool (*)(const CommandFlag&)> values[] = {
      {"-f", TakesFile}, {"-d", TakesFolder}, {"none", TakesOther}};
  for (const auto& [kind, is_wanted] : values) {
    const std::string pattern = BashFlagPattern(command, is_wanted);
    if (!pattern.empty()) {
      absl::StrAppendFormat(&text, "        %s) value='%s' ;;\n", pattern, kind);
    }
  }
  return text + "      esac\n      ;;\n";
}

// Finds the verb, then completes a flag's value, a flag, or any other word.
constexpr std::string_view kBashHead =
    R"(# bash completion of lockstep; `lockstep completion bash` writes it.
_lockstep() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
  local verb=lockstep flags= words= value= word i
  # bash splits words at '='.
  if [[ $cur == '=' ]]; then
    cur=
  elif [[ $prev == '=' ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="$verb ${COMP_WORDS[i]}"
    case $word in
)";
constexpr std::string_view kBashMiddle = R"(        verb=$word
        ;;
    esac
  done
  case $verb in
)";
constexpr std::string_view kBashTail = R"(  esac
  COMPREPLY=()
  if [[ -n $value ]]; then
    [[ $value == none ]] || mapfile -t COMPREPLY < <(compgen $value -- "$cur")
  elif [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$cur")
  elif [[ -n $words ]]; then
    mapfile -t COMPREPLY < <(eval "compgen $words -- \"\$cur\"")
  fi
}
complete -o filenames -F _lockstep lockstep
)";

// --- zsh ----------------------------------------------------------------------------------

// Escapes text for single quotes, with a backslash before what _arguments would interpret.
std::string ZshText(std::string_view text) {
  std::string quoted;
  for (const char byte : text) {
    if (byte == '\'') {
      quoted += "'\\''";
      continue;
    }
    if (byte == '[' || byte == ']' || byte == ':' || byte == '\\') quoted += '\\';
    quoted += byte;
  }
  return quoted;
}

std::string ZshAction(std::string_view name) {
  switch (OperandOf(name)) {
    case Operand::kFile:
      return "_files";
    case Operand::kFolder:
      return "_files -/";
    case Operand::kVerb:
      return "_lockstep_verbs";
    case Operand::kShell:
      return absl::StrFormat("(%s)", kShells);
    case Operand::kOther:
      break;
  }
  return " ";
}

std::string ZshFlag(const std::string& name, const CommandFlag& flag) {
  std::string spec = name;
  if (flag.value == FlagValue::kRequired) spec += "=";
  if (flag.value == FlagValue::kOptional) spec += "=-";
  spec += "[" + ZshText(flag.help) + "]";
  if (flag.value != FlagValue::kNone) {
    absl::StrAppendFormat(&spec, "%s%s:%s", flag.value == FlagValue::kOptional ? "::" : ":",
                          ZshText(flag.value_name), ZshAction(flag.value_name));
  }
  return absl::StrFormat(" \\\n    '*%s'", spec);
}

std::string ZshFlags(const Command& command) {
  std::string text;
  for (const CommandFlag& flag : command.flags) {
    for (const std::string& name : flag.names) text += ZshFlag(name, flag);
  }
  return text;
}

std::string ZshName(const Command& command) {
  std::string name = "_";
  for (const char byte : command.name) name += byte == ' ' || byte == '-' ? '_' : byte;
  return name;
}

// Offers a command's verbs with their descriptions.
std::string ZshVerbs(const Command& command) {
  std::string text = absl::StrFormat("%s_verbs() {\n  local -a verbs=(", ZshName(command));
  for (const Command& verb : command.verbs) {
    absl::StrAppendFormat(&text, "\n    '%s:%s'", verb.word(), ZshText(verb.help));
  }
  return text + "\n  )\n  _describe verb verbs\n}\n\n";
}

std::string ZshFunction(const Command& command) {
  const std::string name = ZshName(command);
  if (command.verbs.empty()) {
    std::string text = absl::StrFormat("%s() {\n  _arguments%s", name, ZshFlags(command));
    for (const CommandArgument& argument : command.arguments) {
      absl::StrAppendFormat(&text, " \\\n    '%s:%s:%s'", argument.is_repeatable ? "*" : "",
                            ZshText(argument.name), ZshAction(argument.name));
    }
    return text + "\n}\n\n";
  }
  std::string text = ZshVerbs(command);
  absl::StrAppendFormat(&text,
                        "%s() {\n  local context state state_descr line\n  typeset -A opt_args\n"
                        "  _arguments -C%s \\\n    '1:verb:%s_verbs' \\\n    '*::argument:->verb'\n"
                        "  [[ $state == verb ]] || return\n  case $line[1] in\n",
                        name, ZshFlags(command), name);
  for (const Command& verb : command.verbs) {
    absl::StrAppendFormat(&text, "    %s) %s ;;\n", verb.word(), ZshName(verb));
  }
  return text + "  esac\n}\n\n";
}

}  // namespace

std::string BashCompletion(const Command& program) {
  std::string text(kBashHead);
  const std::vector<const Command*> all = AllCommands(program);
  for (size_t i = 1; i < all.size(); ++i) {
    absl::StrAppendFormat(&text, "      '%s'%s\n", all[i]->name,
                          i + 1 == all.size() ? ")" : " | \\");
  }
  text.append(kBashMiddle);
  for (const Command* command : all) text += BashCase(*command, program);
  return text.append(kBashTail);
}

std::string ZshCompletion(const Command& program) {
  std::string text =
      "#compdef lockstep\n# zsh completion of lockstep; `lockstep completion zsh` writes it.\n\n";
  for (const Command* command : AllCommands(program)) text += ZshFunction(*command);
  return text +
         "# Autoloaded by compinit, this file is the body of the function; else it defines it.\n"
         "if [[ $funcstack[1] == _lockstep ]]; then\n  _lockstep \"$@\"\nelse\n"
         "  compdef _lockstep lockstep\nfi\n";
}

}  // namespace lockstep::cli
