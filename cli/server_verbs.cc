// The verbs that run a server or maintain its configuration and store.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "cli/client/server_flags.h"
#include "cli/command_line.h"
#include "cli/server/backup.h"
#include "cli/server/check.h"
#include "cli/server/demo.h"
#include "cli/server/healthy.h"
#include "cli/server/serve.h"
#include "cli/settings/config_file.h"
#include "cli/settings/serve_options.h"
#include "cli/terminal/visible_text.h"

namespace lockstep::cli {
namespace {

ExitCode Complain(const absl::Status& status) {
  std::fprintf(stderr, "lockstep: %s\n", VisibleText(Message(status)).c_str());
  return kUsage;
}

// The flags of `lockstep serve` as typed.
struct ServeFlags {
  std::string config_file;
  std::map<std::string, std::string> texts;  // by setting; only those given
};

ExitCode RunServe(const ServeFlags& flags) {
  std::vector<GivenValue> given;
  for (const auto& [name, text] : flags.texts) given.push_back({name, text, "flag --" + name});
  const absl::StatusOr<ServeOptions> options =
      ReadServeOptions(flags.config_file, std::move(given));
  return options.ok() ? Serve(*options) : Complain(options.status());
}

void AddSetting(CLI::App& serve, const Setting& setting, ServeFlags& flags) {
  const std::string name(setting.name);
  const std::string help = setting.default_text.empty()
                               ? std::string(setting.help)
                               : absl::StrFormat("%s [%s]", setting.help, setting.default_text);
  const bool is_switch = setting.value_kind == kSwitch;
  serve
      .add_option_function<std::string>(
          "--" + name,
          [&flags, name, is_switch](const std::string& text) {
            flags.texts[name] = is_switch && text.empty() ? "true" : text;
          },
          help)
      ->expected(is_switch ? 0 : 1, 1)
      ->type_name(std::string(setting.value_kind));
}

void AddServe(CLI::App& program, Verbs& verbs) {
  auto flags = std::make_shared<ServeFlags>();
  CLI::App* serve = program.add_subcommand("serve", "Run the server.");
  serve
      ->add_option("--config", flags->config_file,
                   "YAML file with the settings below; flags override it.")
      ->type_name("FILE");
  for (const Setting& setting : ServeSettings()) AddSetting(*serve, setting, *flags);
  verbs.Add(serve, [flags] { return RunServe(*flags); });
}

struct CheckFlags {
  const CLI::App* config = nullptr;
  const CLI::App* web_config = nullptr;
  std::string file;
  std::string data_folder;
};

// Exactly one of the three forms was given.
ExitCode RunCheck(const CheckFlags& flags) {
  const bool has_verb = flags.config->parsed() || flags.web_config->parsed();
  if (has_verb == !flags.data_folder.empty()) {
    return Complain(
        absl::InvalidArgumentError("check needs one of: config FILE, web-config FILE, --data DIR"));
  }
  if (flags.config->parsed()) return CheckConfig(flags.file);
  if (flags.web_config->parsed()) return CheckWebConfig(flags.file);
  return CheckData(flags.data_folder);
}

void AddCheck(CLI::App& program, Verbs& verbs) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* check = program.add_subcommand(
      "check", "Check a configuration file, or the store of a stopped server.");
  check->require_subcommand(0, 1);
  check
      ->add_option("--data", flags->data_folder,
                   "Read the entire store of a stopped server and report damage.")
      ->type_name("DIR");
  CLI::App* config = check->add_subcommand("config", "Check a file of serve --config.");
  CLI::App* web_config =
      check->add_subcommand("web-config", "Check a file of serve --web.config.file.");
  for (CLI::App* verb : {config, web_config}) {
    verb->add_option("FILE", flags->file, "The file to check.")->required();
  }
  flags->config = config;
  flags->web_config = web_config;
  verbs.Add(check, [flags] { return RunCheck(*flags); });
}

void AddHealthy(CLI::App& program, Verbs& verbs) {
  auto server = std::make_shared<HttpClientOptions>();
  CLI::App* healthy =
      program.add_subcommand("healthy", "Check that a server responds; for health checks.");
  AddServerFlags(*healthy, "", *server);
  verbs.Add(healthy, [server] { return Healthy(*server); });
}

void AddBackup(CLI::App& program, Verbs& verbs) {
  auto flags = std::make_shared<BackupFlags>();
  CLI::App* backup = program.add_subcommand(
      "backup", "Copy the store of a running or stopped server to a folder.");
  AddServerFlags(*backup, "", flags->server);
  backup->add_option("--to", flags->folder, "Folder of the backups, on the server's machine.")
      ->type_name("FOLDER")
      ->required();
  CLI::Option* data = backup->add_option("--data", flags->data_folder, "Store of a stopped server.")
                          ->type_name("DIR");
  backup
      ->add_option("--keep", flags->keep_count,
                   "Delete all backups except the latest N. [keep all]")
      ->type_name("N")
      ->check(Unexplained(CLI::PositiveNumber));
  backup->add_flag("--list", flags->list, "Only list the backups in the folder.")->excludes(data);
  verbs.Add(backup, [flags] { return Backup(*flags); });
}

void AddRestore(CLI::App& program, Verbs& verbs) {
  auto flags = std::make_shared<RestoreFlags>();
  CLI::App* restore = program.add_subcommand("restore", "Restore a store from a backup.");
  restore->add_option("--from", flags->folder, "Folder of the backups.")
      ->type_name("FOLDER")
      ->required();
  restore->add_option("--data", flags->data_folder, "Folder of the store; new or empty.")
      ->type_name("DIR")
      ->required();
  restore->add_option("--backup", flags->number, "Number of the backup. [the latest]")
      ->type_name("N")
      ->check(Unexplained(CLI::PositiveNumber));
  verbs.Add(restore, [flags] { return Restore(*flags); });
}

}  // namespace

void AddDemoVerb(CLI::App& program, Verbs& verbs) {
  auto flags = std::make_shared<DemoFlags>();
  CLI::App* demo = program.add_subcommand(
      "demo", "Start a server with recorded runs on four GPUs, and report their straggler.");
  demo->add_option("--http", flags->http,
                   "Address to listen on; port 0 takes any free port. [127.0.0.1:9009, or any free "
                   "port if that is taken]")
      ->type_name("HOST:PORT");
  demo->add_flag("--once", flags->once, "Exit after the report instead of serving until Ctrl-C.");
  verbs.Add(demo, [flags] { return Demo(*flags); });
}

void AddServerVerbs(CLI::App& program, Verbs& verbs) {
  AddServe(program, verbs);
  AddCheck(program, verbs);
  AddHealthy(program, verbs);
  AddBackup(program, verbs);
  AddRestore(program, verbs);
}

}  // namespace lockstep::cli
