// The program: its verbs, their flags, and nothing else.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "cli/check.h"
#include "cli/config_file.h"
#include "cli/exit_code.h"
#include "cli/serve.h"
#include "cli/serve_options.h"
#include "cli/version.h"

namespace lockstep::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit status: 0 done; 1 failed; 2 bad command line or configuration; "
    "3 imported, but some lines or samples were not taken.";

ExitCode Complain(const absl::Status& status) {
  std::fprintf(stderr, "lockstep: %s\n", std::string(Message(status)).c_str());
  return kUsage;
}

// The flags of `lockstep serve`, as they were typed.
struct ServeFlags {
  std::string config_file;
  std::map<std::string, std::string> texts;  // by setting; only those that were given
};

void AddServe(CLI::App& app, ServeFlags& flags) {
  CLI::App* serve = app.add_subcommand("serve", "Take in, keep and answer: the server.");
  serve->add_option("--config", flags.config_file, "YAML file with the settings below; flags win.")
      ->type_name("FILE");
  for (const Setting& setting : ServeSettings()) {
    const std::string name(setting.name);
    const std::string help = setting.default_text.empty()
                                 ? std::string(setting.help)
                                 : absl::StrFormat("%s [%s]", setting.help, setting.default_text);
    serve
        ->add_option_function<std::string>(
            "--" + name, [&flags, name](const std::string& text) { flags.texts[name] = text; },
            help)
        ->type_name(std::string(setting.value_kind));
  }
}

ExitCode RunServe(const ServeFlags& flags) {
  std::vector<GivenValue> given;
  if (!flags.config_file.empty()) {
    absl::StatusOr<std::vector<GivenValue>> from_file = ReadConfig(flags.config_file);
    if (!from_file.ok()) return Complain(from_file.status());
    given = *std::move(from_file);
  }
  for (const auto& [name, text] : flags.texts) given.push_back({name, text, "flag --" + name});
  const absl::StatusOr<ServeOptions> options = MakeServeOptions(given);
  if (!options.ok()) return Complain(options.status());
  return Serve(*options);
}

struct CheckFlags {
  CLI::App* config = nullptr;
  CLI::App* web_config = nullptr;
  std::string file;
};

void AddCheck(CLI::App& app, CheckFlags& flags) {
  CLI::App* check = app.add_subcommand("check", "Look at a configuration file without serving.");
  check->require_subcommand(1);
  flags.config = check->add_subcommand("config", "The file of serve --config.");
  flags.web_config = check->add_subcommand("web-config", "The file of serve --web.config.file.");
  for (CLI::App* verb : {flags.config, flags.web_config}) {
    verb->add_option("FILE", flags.file, "The file to look at.")->required();
  }
}

ExitCode Main(int argc, char** argv) {
  CLI::App app("lockstep: a metrics store for training fleets.", "lockstep");
  app.require_subcommand(1);
  app.footer(kExitCodes);
  ServeFlags serve;
  CheckFlags check;
  AddServe(app, serve);
  AddCheck(app, check);
  const CLI::App* version = app.add_subcommand("version", "Print what this program is made of.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kUsage;
  }
  if (version->parsed()) {
    std::fputs(VersionText().c_str(), stdout);
    return kSuccess;
  }
  if (check.config->parsed()) return CheckConfig(check.file);
  if (check.web_config->parsed()) return CheckWebConfig(check.file);
  return RunServe(serve);
}

}  // namespace
}  // namespace lockstep::cli

int main(int argc, char** argv) { return lockstep::cli::Main(argc, argv); }
