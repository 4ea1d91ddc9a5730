#include "cli/import.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "absl/strings/str_format.h"
#include "cli/import_progress.h"
#include "cli/terminal_line.h"
#include "import/delivery.h"

namespace lockstep::cli {
namespace {

constexpr int kMaxComplaints = 20;
constexpr std::chrono::minutes kPatience{5};
constexpr std::chrono::milliseconds kProgressEvery{200};

const std::vector<std::string>& WriteHeaders() {
  static const auto& headers = *new std::vector<std::string>{
      "Content-Type: application/x-protobuf", "Content-Encoding: snappy",
      "X-Prometheus-Remote-Write-Version: 0.1.0"};
  return headers;
}

importer::Delivery::Post PostTo(HttpClient& client) {
  return [&client](std::string_view body) -> absl::StatusOr<importer::Reply> {
    LOCKSTEP_ASSIGN_OR_RETURN(HttpReply reply, client.Post("/api/v1/write", WriteHeaders(), body));
    return importer::Reply{reply.status, std::move(reply.retry_after), std::move(reply.body)};
  };
}

bool TookAll(const importer::ImportTotals& totals, exposition::TextFormat format) {
  const bool ended = totals.has_end || format != exposition::TextFormat::kOpenMetrics;
  return totals.bad_lines == 0 && totals.partly_taken_batches == 0 && ended;
}

}  // namespace

ExitCode Import(const ImportFlags& flags) {
  absl::StatusOr<std::unique_ptr<HttpClient>> client = HttpClient::Make(flags.server);
  if (!client.ok()) {
    std::fprintf(stderr, "lockstep: %s\n", std::string(Message(client.status())).c_str());
    return kUsage;
  }
  importer::Delivery delivery(
      PostTo(**client), [](std::chrono::milliseconds pause) { std::this_thread::sleep_for(pause); },
      kPatience);

  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  Clock::time_point last_shown = start;
  TerminalLine terminal(isatty(STDERR_FILENO) == 1);
  int complaints = 0;
  importer::ImportRun run(
      flags.import, delivery,
      [&](const importer::ImportTotals& totals) {
        if (Clock::now() - last_shown < kProgressEvery) return;
        last_shown = Clock::now();
        terminal.Show(ProgressText(totals, last_shown - start));
      },
      [&](const std::string& message) {
        if (++complaints > kMaxComplaints) return;
        terminal.Clear();
        std::fprintf(stderr, "lockstep: %s: %s\n", flags.import.path.c_str(), message.c_str());
      });
  const absl::Status status = run.Run();
  terminal.Clear();
  if (complaints > kMaxComplaints) {
    std::fprintf(stderr, "lockstep: ... and %d complaints more\n", complaints - kMaxComplaints);
  }
  std::printf("%s\n", TotalsText(run.totals(), flags.import, Clock::now() - start).c_str());
  if (!status.ok()) {
    std::fprintf(stderr, "lockstep: %s\n", std::string(Message(status)).c_str());
    return kFailure;
  }
  return TookAll(run.totals(), flags.import.format) ? kSuccess : kPartial;
}

}  // namespace lockstep::cli
