#include "cli/server/demo.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

#include "absl/strings/str_format.h"
#include "base/clock.h"
#include "cli/client/ask.h"
#include "cli/client/http_client.h"
#include "cli/client/server_flags.h"
#include "cli/send/import_progress.h"
#include "cli/send/posting.h"
#include "cli/server/demo_server.h"
#include "cli/terminal/terminal_line.h"
#include "cli/terminal/time_text.h"
#include "demo/recording.h"
#include "import/file_import.h"

namespace lockstep::cli {
namespace {

constexpr const char* kUsualAddress = "127.0.0.1:9009";
constexpr const char* kAnyPort = "127.0.0.1:0";
constexpr uint16_t kUsualPort = 9009;
constexpr double kGpuHourPrice = 3.5;
constexpr const char* kCurrency = "USD";
// The fleet size used to estimate the cost of a straggler.
constexpr int kFleetGpus = 1024;

// The job with the straggler that the report describes, and the number of seconds between its end
// and the end of the recording (demo/data/truth.json).
constexpr const char* kReportedJob = "straggler-gpu";
constexpr int64_t kReportedJobEndedBeforeMs = 323'276;

bool IsUsualPortFree() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  // A port with connections in TIME_WAIT counts as free, as it does for the server.
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kUsualPort);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool is_free =
      bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
      listen(socket, 1) == 0;
  close(socket);
  return is_free;
}

std::string AddressFor(const DemoFlags& flags) {
  if (!flags.http.empty()) return flags.http;
  return IsUsualPortFree() ? kUsualAddress : kAnyPort;
}

absl::StatusOr<std::string> WriteRecording(const std::string& folder, int64_t end_ms) {
  std::string path = folder + "/recording.om";
  std::ofstream file(path, std::ios::binary);
  file << demo::RecordingAsOpenMetrics(end_ms);
  file.close();
  if (!file) return absl::UnavailableError(absl::StrFormat("cannot write %s", path));
  return path;
}

// Imports it the way `lockstep import` does.
absl::Status LoadRecording(const std::string& path, HttpClient& client) {
  importer::Delivery delivery(PostTo(client), [](std::chrono::milliseconds) { return false; },
                              {std::chrono::milliseconds(0)});
  absl::Status first_complaint;
  importer::SampleTimes times;
  const importer::ImportSession session{
      delivery,
      times,
      false,
      false,
      [](const importer::ImportReport&) {},
      [&](const importer::ImportReport&, const std::string& message) {
        if (first_complaint.ok()) first_complaint = absl::InternalError(message);
      }};
  importer::FileImportOptions options;
  LOCKSTEP_ASSIGN_OR_RETURN(options.format, importer::FormatOfName("openmetrics"));
  importer::InputFile file;
  file.path = path;
  file.is_named = true;
  importer::ImportReport report;
  LOCKSTEP_RETURN_IF_ERROR(importer::ImportFile(file, options, session, report));
  return first_complaint;
}

// What the demo prints.
struct DemoAnswer {
  std::string url;
  std::string report;
  double late_share =
      0;  // fraction of a step lost to the straggler; not positive if none was found
  int64_t recording_end_ms = 0;
};

absl::StatusOr<DemoAnswer> LoadAndReport(DemoServer& server) {
  DemoAnswer answer;
  answer.recording_end_ms = SystemTimeMs();
  // The server starts in the meantime.
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string path,
                            WriteRecording(server.folder(), answer.recording_end_ms));
  LOCKSTEP_ASSIGN_OR_RETURN(answer.url, server.AwaitUrl());
  HttpClientOptions options;
  options.url = answer.url;
  LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<HttpClient> client, HttpClient::Make(options));
  LOCKSTEP_RETURN_IF_ERROR(LoadRecording(path, *client));
  std::error_code error;
  std::filesystem::remove(path, error);
  LOCKSTEP_ASSIGN_OR_RETURN(
      answer.report, AskForText(*client, "/api/v1/training/report",
                                {{"job", kReportedJob}, {"start", "0"}, {"format", "text"}}));
  LOCKSTEP_ASSIGN_OR_RETURN(const Answer stragglers, Ask(*client, "/api/v1/training/stragglers",
                                                         {{"job", kReportedJob}, {"start", "0"}}));
  answer.late_share = NumberAt(stragglers.data(), "/ranks/0/score");
  return answer;
}

// The daily cost of GPUs waiting for a late rank, to two digits. Precondition: `late_share` is
// positive.
std::string CostADay(double late_share) {
  const double cost = kFleetGpus * 24 * kGpuHourPrice * late_share;
  const double unit = std::pow(10, std::max(std::floor(std::log10(cost)) - 1, 0.0));
  return WithThousands(static_cast<uint64_t>(std::llround(cost / unit) * std::llround(unit)));
}

void PrintReport(const DemoAnswer& answer) {
  std::printf(
      "%s\n"
      "This is `lockstep report %s`: one of 13 jobs, recorded on four H200 GPUs. Its times "
      "are\nshifted so that the recording ends now. GPU-hours are priced at %.2f %s here.\n",
      answer.report.c_str(), kReportedJob, kGpuHourPrice, kCurrency);
  if (answer.late_share > 0) {
    std::printf(
        "At that price, a rank as late as this one costs a job on %d GPUs about %s %s a day.\n",
        kFleetGpus, CostADay(answer.late_share).c_str(), kCurrency);
  }
}

void PrintQueries(const DemoAnswer& answer) {
  const std::string url =
      answer.url == UrlWithoutFlag() ? "" : absl::StrFormat(" --url %s", answer.url);
  const std::string job_end = FlagTimeText(answer.recording_end_ms - kReportedJobEndedBeforeMs);
  const std::string recording_end = FlagTimeText(answer.recording_end_ms);
  std::printf(
      "\nThe server runs on %s. Open it in a browser, or query it from another terminal:\n\n",
      answer.url.c_str());
  std::printf(
      "  # How long does each rank wait for the others in a step? The straggler waits least.\n");
  std::printf(
      "  lockstep query%s --time %s --range 35s \\\n"
      "    'max by (rank) (train_phase_seconds{job=\"%s\",phase=\"allreduce\"})'\n\n",
      url.c_str(), job_end.c_str(), kReportedJob);
  std::printf("  # How busy is each GPU during that time?\n");
  std::printf(
      "  lockstep query%s --time %s --range 35s \\\n"
      "    'max by (rank) (DCGM_FI_PROF_SM_ACTIVE{job=\"%s\"})'\n\n",
      url.c_str(), job_end.c_str(), kReportedJob);
  std::printf("  # How much energy did each job take, in kWh?\n");
  std::printf(
      "  lockstep query%s --time %s \\\n"
      "    'sum by (job) (increase(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{job!=\"\"}[10m])) / "
      "3.6e9'\n\n",
      url.c_str(), recording_end.c_str());
  std::printf("`lockstep jobs%s` lists all jobs. Ctrl-C ends the demo and removes its data.\n",
              url.c_str());
  std::fflush(stdout);
}

ExitCode DemoFailed(const absl::Status& status) {
  std::fprintf(stderr, "lockstep: %s\n", std::string(Message(status)).c_str());
  return absl::IsInvalidArgument(status) ? kUsage : kFailure;
}

}  // namespace

ExitCode Demo(const DemoFlags& flags) {
  DemoServer::BlockStopSignals();
  const auto server =
      DemoServer::Start(AddressFor(flags), absl::StrFormat("%g", kGpuHourPrice), kCurrency);
  if (!server.ok()) return DemoFailed(server.status());
  TerminalLine line(isatty(STDERR_FILENO) == 1);
  line.Show("loading the recorded runs ...");
  const absl::StatusOr<DemoAnswer> answer = LoadAndReport(**server);
  line.Clear();
  if (DemoServer::IsStopRequested()) return kSuccess;
  if (!answer.ok()) return DemoFailed(answer.status());
  PrintReport(*answer);
  if (flags.once) return kSuccess;
  PrintQueries(*answer);
  const absl::Status status = (*server)->WaitForStop();
  return status.ok() ? kSuccess : DemoFailed(status);
}

}  // namespace lockstep::cli
