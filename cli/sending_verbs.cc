// The verbs that send files to a server.
#include <memory>

#include "cli/command_line.h"
#include "cli/import.h"
#include "cli/server_flags.h"
#include "cli/tail.h"
#include "cli/validators.h"

namespace lockstep::cli {
namespace {

// How releases before spelled --url.
constexpr const char* kToFlag = "--to";

// What logs do not say themselves.
void AddHintFlags(CLI::App& verb, logs::LogHints& hints) {
  verb.add_option("--job", hints.job, "Job of every log that does not name one.")
      ->type_name("NAME");
  verb.add_option("--run", hints.run, "Run of every log that does not name one. [from the path]")
      ->type_name("NAME");
  verb.add_option("--rank", hints.rank, "Rank of every log that does not name one. [from the path]")
      ->type_name("N")
      ->check(Unexplained(CLI::NonNegativeNumber));
}

void AddPrometheusFlags(CLI::App& verb, PrometheusFlags& flags) {
  verb.add_option("--from-prometheus", flags.url,
                  "Read from a running Prometheus, through its remote read, instead of files.")
      ->type_name("URL");
  verb.add_option(
          "--match", flags.selectors,
          "Take only the series of Prometheus that a selector names; may be repeated. [all]")
      ->type_name("SELECTOR");
  verb.add_option("--start", flags.start,
                  "Take samples of Prometheus from this time on: Unix seconds or RFC 3339. [its "
                  "oldest]")
      ->type_name("TIME");
  verb.add_option("--end", flags.end,
                  "Take samples of Prometheus up to this time: Unix seconds or RFC 3339. [now]")
      ->type_name("TIME");
}

void AddImport(CLI::App& program, Verbs& verbs) {
  auto flags = std::make_shared<ImportFlags>();
  CLI::App* import = program.add_subcommand(
      "import", "Send files to a server: logs, steps, metrics, traces, blocks of a Prometheus.");
  AddServerFlags(*import, kToFlag, flags->server);
  import
      ->add_option(
          "--format", flags->format,
          "Format of all files: openmetrics (times in seconds), prometheus (in "
          "milliseconds), tensorboard, kineto, nsys, wandb, mlflow, steps, or that of a training "
          "log. [detected for each file]")
      ->type_name("FORMAT");
  AddHintFlags(*import, flags->hints);
  import
      ->add_option("--logging-steps", flags->hints.logging_steps,
                   "Steps between two records of a log that does not number its steps.")
      ->type_name("N")
      ->check(Unexplained(CLI::PositiveNumber));
  AddPrometheusFlags(*import, flags->prometheus);
  import->add_flag("--resume", flags->resume,
                   "Record the progress, and continue there after an interruption.");
  import->add_flag("--dry-run", flags->dry_run,
                   "Only read and check, and say what would be sent; send nothing.");
  import->add_option("PATH", flags->paths,
                     "Files, plain or compressed by gzip or zstd; folders, which are walked; - is "
                     "standard input.");
  verbs.Add(import, [flags] { return Import(*flags); });
}

void AddTail(CLI::App& program, Verbs& verbs) {
  auto flags = std::make_shared<TailFlags>();
  CLI::App* tail = program.add_subcommand(
      "tail", "Send training logs to a server as they are written, until SIGTERM.");
  AddServerFlags(*tail, kToFlag, flags->server);
  AddHintFlags(*tail, flags->hints);
  tail->add_option("--interval", flags->interval_s, "Seconds between two looks at the logs. [1]")
      ->type_name("SECONDS")
      ->check(Unexplained(CLI::Range(0.01, 3600.0)));
  tail->add_option("--state", flags->state_file,
                   "File that records how far each log was sent. [.lockstep-tail in the first "
                   "folder]")
      ->type_name("FILE");
  tail->add_option("PATH", flags->paths, "Logs, and folders in which logs are found.")->required();
  verbs.Add(tail, [flags] { return Tail(*flags); });
}

}  // namespace

void AddSendingVerbs(CLI::App& program, Verbs& verbs) {
  AddImport(program, verbs);
  AddTail(program, verbs);
}

}  // namespace lockstep::cli
