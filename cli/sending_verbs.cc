// The verbs that send files to a server.
#include <memory>

#include "cli/client/server_flags.h"
#include "cli/command_line.h"
#include "cli/send/import.h"
#include "cli/send/tail.h"

namespace lockstep::cli {
namespace {

// The spelling of --url in earlier releases.
constexpr const char* kToFlag = "--to";

// Values that the logs themselves do not contain.
void AddHintFlags(CLI::App& verb, logs::LogHints& hints) {
  verb.add_option("--job", hints.job, "Job name for logs that contain none.")->type_name("NAME");
  verb.add_option("--run", hints.run, "Run name for logs that contain none. [from the path]")
      ->type_name("NAME");
  verb.add_option("--rank", hints.rank, "Rank for logs that contain none. [from the path]")
      ->type_name("N")
      ->check(Unexplained(CLI::NonNegativeNumber));
}

void AddPrometheusFlags(CLI::App& verb, PrometheusFlags& flags) {
  verb.add_option("--from-prometheus", flags.url,
                  "Import from a running Prometheus by remote read instead of from files.")
      ->type_name("URL");
  verb.add_option("--match", flags.selectors,
                  "Import only the Prometheus series that match this selector; repeatable. [all]")
      ->type_name("SELECTOR");
  verb.add_option("--start", flags.start,
                  "Import Prometheus samples from this time on: Unix seconds or RFC 3339. [its "
                  "oldest sample]")
      ->type_name("TIME");
  verb.add_option("--end", flags.end,
                  "Import Prometheus samples up to this time: Unix seconds or RFC 3339. [now]")
      ->type_name("TIME");
}

void AddImport(CLI::App& program, Verbs& verbs) {
  auto flags = std::make_shared<ImportFlags>();
  CLI::App* import = program.add_subcommand(
      "import", "Send files to a server: logs, steps, metrics, traces, Prometheus blocks.");
  AddServerFlags(*import, kToFlag, flags->server);
  import
      ->add_option("--format", flags->format,
                   "Format of all files: openmetrics (times in seconds), prometheus (in "
                   "milliseconds), tensorboard, kineto, nsys, wandb, mlflow, steps, or a training "
                   "log format. [detected for each file]")
      ->type_name("FORMAT");
  AddHintFlags(*import, flags->hints);
  import
      ->add_option("--logging-steps", flags->hints.logging_steps,
                   "Steps between two records, for logs that do not number their steps.")
      ->type_name("N")
      ->check(Unexplained(CLI::PositiveNumber));
  AddPrometheusFlags(*import, flags->prometheus);
  import->add_flag("--resume", flags->resume,
                   "Record progress, and resume there after an interruption.");
  import->add_flag("--dry-run", flags->dry_run,
                   "Read and check the files and report what would be sent, but send nothing.");
  import->add_option("PATH", flags->paths,
                     "Files, plain or compressed with gzip or zstd; folders, searched recursively; "
                     "- for standard input.");
  verbs.Add(import, [flags] { return Import(*flags); });
}

void AddTail(CLI::App& program, Verbs& verbs) {
  auto flags = std::make_shared<TailFlags>();
  CLI::App* tail = program.add_subcommand(
      "tail", "Send training logs to a server as they are written, until SIGTERM.");
  AddServerFlags(*tail, kToFlag, flags->server);
  AddHintFlags(*tail, flags->hints);
  tail->add_option("--interval", flags->interval_s, "Seconds between checks of the logs. [1]")
      ->type_name("SECONDS")
      ->check(Unexplained(CLI::Range(0.01, 3600.0)));
  tail->add_option("--state", flags->state_file,
                   "File that records how much of each log was sent. [.lockstep-tail in the first "
                   "folder]")
      ->type_name("FILE");
  tail->add_option("PATH", flags->paths, "Logs, and folders to search for logs.")->required();
  verbs.Add(tail, [flags] { return Tail(*flags); });
}

}  // namespace

void AddSendingVerbs(CLI::App& program, Verbs& verbs) {
  AddImport(program, verbs);
  AddTail(program, verbs);
}

}  // namespace lockstep::cli
