#include "cli/help/help_text.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace lockstep::cli {
namespace {

constexpr size_t kWidth = 100;
// The column of explanations; after a longer name the explanation starts on the next line.
constexpr size_t kHelpColumn = 30;
constexpr size_t kIndent = 2;

// A name followed by its explanation.
std::string HelpEntry(const std::string& name, std::string_view help) {
  const std::string explained = Wrapped(help, kHelpColumn, kWidth);
  const std::string begin = std::string(kIndent, ' ') + name;
  if (explained.empty()) return begin + "\n";
  if (begin.size() + kIndent > kHelpColumn) return begin + "\n" + explained;
  return begin + explained.substr(begin.size());
}

std::string FlagHelp(const CommandFlag& flag) {
  return flag.is_required ? flag.help + " Required." : flag.help;
}

}  // namespace

std::string Wrapped(std::string_view text, size_t indent, size_t width) {
  std::string wrapped;
  size_t column = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (word.empty()) continue;
    if (column == 0 || column + 1 + word.size() > width) {
      if (column > 0) wrapped += "\n";
      wrapped.append(indent, ' ');
      column = indent;
    } else {
      wrapped += " ";
      ++column;
    }
    wrapped.append(word);
    column += word.size();
  }
  return wrapped.empty() ? wrapped : wrapped + "\n";
}

std::string HelpText(const Command& command) {
  std::string text = Wrapped(command.help, 0, kWidth);
  absl::StrAppendFormat(&text, "\nUsage: %s\n", UsageOf(command));
  if (!command.verbs.empty()) text += "\nVerbs:\n";
  for (const Command& verb : command.verbs) text += HelpEntry(verb.word(), verb.help);
  if (!command.arguments.empty()) text += "\nArguments:\n";
  for (const CommandArgument& argument : command.arguments) {
    text += HelpEntry(argument.name, argument.help);
  }
  if (!command.flags.empty()) text += "\nFlags:\n";
  for (const CommandFlag& flag : command.flags) text += HelpEntry(SpellingOf(flag), FlagHelp(flag));
  if (!command.verbs.empty()) {
    const size_t program_size = std::min(command.name.find(' '), command.name.size());
    absl::StrAppendFormat(&text, "\n`%s help%s VERB` explains a verb.\n",
                          command.name.substr(0, program_size), command.name.substr(program_size));
  }
  if (!command.footer.empty()) text += "\n" + Wrapped(command.footer, 0, kWidth);
  return text;
}

}  // namespace lockstep::cli
