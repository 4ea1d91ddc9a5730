// The program: its verbs, their flags, and nothing else.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "cli/asking_verbs.h"
#include "cli/backup.h"
#include "cli/check.h"
#include "cli/check_data.h"
#include "cli/config_file.h"
#include "cli/exit_code.h"
#include "cli/import.h"
#include "cli/rule_backfill.h"
#include "cli/rule_tests.h"
#include "cli/rules.h"
#include "cli/serve.h"
#include "cli/serve_options.h"
#include "cli/server_flags.h"
#include "cli/tail.h"
#include "cli/version.h"

namespace lockstep::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit status: 0 done; 1 failed; 2 bad command line or configuration; "
    "3 imported, but some files, lines or samples were not taken.";

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
    const bool is_switch = setting.value_kind == kSwitch;
    serve
        ->add_option_function<std::string>(
            "--" + name,
            [&flags, name, is_switch](const std::string& text) {
              flags.texts[name] = is_switch && text.empty() ? "true" : text;
            },
            help)
        ->expected(is_switch ? 0 : 1, 1)
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
  absl::StatusOr<ServeOptions> options = MakeServeOptions(given);
  if (!options.ok()) return Complain(options.status());
  options->config_file = flags.config_file;
  return Serve(*options);
}

struct CheckFlags {
  CLI::App* check = nullptr;
  CLI::App* config = nullptr;
  CLI::App* web_config = nullptr;
  std::string file;
  std::string data_folder;
};

void AddCheck(CLI::App& app, CheckFlags& flags) {
  CLI::App* check =
      app.add_subcommand("check", "Look at a configuration file, or at a store, without serving.");
  check->require_subcommand(0, 1);
  check->add_option("--data", flags.data_folder, "Read all of the store of a stopped server.")
      ->type_name("DIR");
  flags.config = check->add_subcommand("config", "The file of serve --config.");
  flags.web_config = check->add_subcommand("web-config", "The file of serve --web.config.file.");
  for (CLI::App* verb : {flags.config, flags.web_config}) {
    verb->add_option("FILE", flags.file, "The file to look at.")->required();
  }
  flags.check = check;
}

// The one of its three forms that was typed.
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

// What logs do not say themselves.
void AddHintFlags(CLI::App& verb, logs::LogHints& hints) {
  verb.add_option("--job", hints.job, "Job of all that does not say its own.")->type_name("NAME");
  verb.add_option("--run", hints.run, "Run, likewise. [from the path]")->type_name("NAME");
  verb.add_option("--rank", hints.rank, "Rank, likewise. [from the path]")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
}

CLI::App* AddImport(CLI::App& app, ImportFlags& flags) {
  CLI::App* import = app.add_subcommand(
      "import", "Send files to a server: logs, steps, metrics, traces, blocks of a Prometheus.");
  AddServerFlags(*import, "--to", flags.server);
  import
      ->add_option("--format", flags.format,
                   "Format of all files: openmetrics (times in seconds), prometheus (in "
                   "milliseconds), tensorboard, kineto, nsys, steps, or that of a training log. "
                   "[each file is looked at]")
      ->type_name("FORMAT");
  AddHintFlags(*import, flags.hints);
  import
      ->add_option("--logging-steps", flags.hints.logging_steps,
                   "Steps between two records of a log that counts none.")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  import
      ->add_option("--from-prometheus", flags.prometheus.url,
                   "A running Prometheus, by its remote read, instead of files.")
      ->type_name("URL");
  import
      ->add_option("--match", flags.prometheus.selectors,
                   "Its series that a selector names; may be given again. [all]")
      ->type_name("SELECTOR");
  import->add_option("--start", flags.prometheus.start, "Unix seconds or RFC 3339. [its oldest]")
      ->type_name("TIME");
  import->add_option("--end", flags.prometheus.end, "Unix seconds or RFC 3339. [now]")
      ->type_name("TIME");
  import->add_flag("--resume", flags.resume,
                   "Keep how far it is, and continue there after an interruption.");
  import->add_flag("--dry-run", flags.dry_run,
                   "Read and check only, and say what would be sent; send nothing.");
  import->add_option("PATH", flags.paths,
                     "Files, plain or compressed by gzip or zstd; folders, which are walked; - is "
                     "standard input.");
  return import;
}

CLI::App* AddTail(CLI::App& app, TailFlags& flags) {
  CLI::App* tail = app.add_subcommand(
      "tail", "Send training logs to a server as they are written, until SIGTERM.");
  AddServerFlags(*tail, "--to", flags.server);
  AddHintFlags(*tail, flags.hints);
  tail->add_option("--interval", flags.interval_s, "Seconds between two looks at the logs.")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  tail->add_option("--state", flags.state_file,
                   "File that says how far logs were taken. [.lockstep-tail in the first folder]")
      ->type_name("FILE");
  tail->add_option("PATH", flags.paths, "Folders, in which logs are found; logs.")->required();
  return tail;
}

struct RulesVerbs {
  CLI::App* check = nullptr;
  CLI::App* test = nullptr;
  CLI::App* backfill = nullptr;
  BackfillFlags past;
  std::vector<std::string> files;
};

void AddRules(CLI::App& app, RulesVerbs& verbs) {
  CLI::App* rules = app.add_subcommand("rules", "Rule files, without a server.");
  rules->require_subcommand(1);
  verbs.check = rules->add_subcommand("check", "Say what is wrong with rule files.");
  verbs.test = rules->add_subcommand("test", "Run unit tests of rules, as promtool's.");
  verbs.backfill = rules->add_subcommand(
      "backfill", "Evaluate recording rules over a server's past, and write what comes to it.");
  AddServerFlags(*verbs.backfill, "--url", verbs.past.server);
  verbs.backfill->add_option("--start", verbs.past.start, "Unix seconds.")
      ->type_name("TIME")
      ->required();
  verbs.backfill->add_option("--end", verbs.past.end, "Likewise.")->type_name("TIME")->required();
  verbs.backfill
      ->add_option("--eval-interval", verbs.past.evaluation_interval,
                   "Of groups that do not say. [1m]")
      ->type_name("DURATION");
  for (CLI::App* verb : {verbs.check, verbs.test, verbs.backfill}) {
    verb->add_option("FILE", verbs.files, "The files to look at.")->required();
  }
}

struct BackupVerbs {
  BackupFlags backup;
  RestoreFlags restore;
  CLI::App* backup_verb = nullptr;
  CLI::App* restore_verb = nullptr;
};

void AddBackup(CLI::App& app, BackupVerbs& verbs) {
  CLI::App* backup = app.add_subcommand(
      "backup", "Copy the store of a server, which goes on, or of a folder, to a folder.");
  AddServerFlags(*backup, "--url", verbs.backup.server);
  backup->add_option("--to", verbs.backup.folder, "Folder of the backups, as the server sees it.")
      ->type_name("FOLDER")
      ->required();
  CLI::Option* data =
      backup->add_option("--data", verbs.backup.data_folder, "Store of a server that is stopped.")
          ->type_name("DIR");
  backup
      ->add_option("--keep", verbs.backup.keep_count,
                   "Delete all backups but the newest N. [keep all]")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  backup->add_flag("--list", verbs.backup.list, "Only say which backups there are.")
      ->excludes(data);
  CLI::App* restore = app.add_subcommand("restore", "Make a store from a backup.");
  restore->add_option("--from", verbs.restore.folder, "Folder of the backups.")
      ->type_name("FOLDER")
      ->required();
  restore->add_option("--data", verbs.restore.data_folder, "Folder of the store; new or empty.")
      ->type_name("DIR")
      ->required();
  restore->add_option("--backup", verbs.restore.number, "Number of the backup. [the newest]")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  verbs.backup_verb = backup;
  verbs.restore_verb = restore;
}

ExitCode Main(int argc, char** argv) {
  CLI::App app("lockstep: a metrics store for training fleets.", "lockstep");
  app.require_subcommand(1);
  app.footer(kExitCodes);
  ServeFlags serve;
  CheckFlags check;
  AddServe(app, serve);
  AddCheck(app, check);
  ImportFlags import;
  const CLI::App* import_verb = AddImport(app, import);
  TailFlags tail;
  const CLI::App* tail_verb = AddTail(app, tail);
  AskingVerbs asking(app);
  BackupVerbs backup;
  AddBackup(app, backup);
  RulesVerbs rules;
  AddRules(app, rules);
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
  if (check.check->parsed()) return RunCheck(check);
  if (import_verb->parsed()) return Import(import);
  if (tail_verb->parsed()) return Tail(tail);
  if (asking.parsed()) return asking.Run();
  if (rules.check->parsed()) return CheckRules(rules.files);
  if (rules.test->parsed()) return TestRules(rules.files);
  if (rules.backfill->parsed()) {
    rules.past.files = rules.files;
    return BackfillRules(rules.past);
  }
  if (backup.backup_verb->parsed()) return Backup(backup.backup);
  if (backup.restore_verb->parsed()) return Restore(backup.restore);
  return RunServe(serve);
}

}  // namespace
}  // namespace lockstep::cli

int main(int argc, char** argv) { return lockstep::cli::Main(argc, argv); }
