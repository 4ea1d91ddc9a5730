// The verbs that describe the program: help, version, completion.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/help/command_tree.h"
#include "cli/help/completion.h"
#include "cli/help/did_you_mean.h"
#include "cli/help/help_text.h"
#include "cli/help/man_page.h"
#include "cli/help/version.h"

namespace lockstep::cli {
namespace {

struct HelpFlags {
  std::vector<std::string> verbs;
  bool as_man_page = false;
};

const Command* VerbNamed(const Command& command, const std::string& word) {
  for (const Command& verb : command.verbs) {
    if (verb.word() == word) return &verb;
  }
  return nullptr;
}

ExitCode PrintHelp(const Command& program, const HelpFlags& flags) {
  if (flags.as_man_page) {
    std::fputs(ManPage(program, Version()).c_str(), stdout);
    return kSuccess;
  }
  const Command* command = &program;
  for (const std::string& word : flags.verbs) {
    const Command* verb = VerbNamed(*command, word);
    if (verb == nullptr) {
      std::vector<std::string> known;
      for (const Command& each : command->verbs) known.push_back(each.word());
      std::fprintf(stderr, "%s has no verb \"%s\"%s\nSee: lockstep help\n", command->name.c_str(),
                   word.c_str(), DidYouMean(word, known).c_str());
      return kUsage;
    }
    command = verb;
  }
  std::fputs(HelpText(*command).c_str(), stdout);
  return kSuccess;
}

void AddVersion(CLI::App& program, Verbs& verbs) {
  const CLI::App* version =
      program.add_subcommand("version", "Print the version, the compiler and the libraries.");
  verbs.Add(version, [] {
    std::fputs(VersionText().c_str(), stdout);
    return kSuccess;
  });
}

void AddHelp(CLI::App& program, Verbs& verbs) {
  auto flags = std::make_shared<HelpFlags>();
  CLI::App* help = program.add_subcommand("help", "Explain the program or one of its verbs.");
  CLI::Option* verb =
      help->add_option("VERB", flags->verbs, "The verb to explain, such as query or rules check.");
  help->add_flag("--man", flags->as_man_page, "Print the manual page, as groff source.")
      ->excludes(verb);
  verbs.Add(help, [flags, &program] { return PrintHelp(TreeOf(program), *flags); });
}

void AddCompletion(CLI::App& program, Verbs& verbs) {
  auto shell = std::make_shared<std::string>();
  CLI::App* completion = program.add_subcommand(
      "completion", "Print a script that lets a shell complete verbs and flags.");
  completion->add_option("SHELL", *shell, "bash or zsh.")
      ->required()
      ->check(Unexplained(CLI::IsMember({"bash", "zsh"})));
  verbs.Add(completion, [shell, &program] {
    const Command tree = TreeOf(program);
    std::fputs((*shell == "bash" ? BashCompletion(tree) : ZshCompletion(tree)).c_str(), stdout);
    return kSuccess;
  });
}

}  // namespace

void AddAboutVerbs(CLI::App& program, Verbs& verbs) {
  AddHelp(program, verbs);
  AddVersion(program, verbs);
  AddCompletion(program, verbs);
}

}  // namespace lockstep::cli
