#include "cli/send/import.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include "absl/strings/str_format.h"
#include "base/clock.h"
#include "cli/send/import_progress.h"
#include "cli/send/posting.h"
#include "cli/send/prometheus_source.h"
#include "cli/terminal/terminal_line.h"
#include "cli/terminal/visible_text.h"
#include "import/delivery/delivery.h"
#include "import/file_import.h"
#include "import/files/input_files.h"
#include "import/prometheus_import.h"

namespace lockstep::cli {
namespace {

using Clock = std::chrono::steady_clock;
using importer::ImportReport;

constexpr int kMaxComplaints = 20;  // per source
constexpr std::chrono::minutes kPatience{5};
constexpr std::chrono::milliseconds kProgressEvery{200};

void Complain(std::string_view message) {
  std::fprintf(stderr, "lockstep: %s\n", VisibleText(message).c_str());
}

bool Wait(std::chrono::milliseconds pause) {
  std::this_thread::sleep_for(pause);
  return true;
}

// One run of the verb.
class ImportVerb {
 public:
  ImportVerb(HttpClient& client, const ImportFlags& flags)
      : delivery_(PostTo(client), Wait, {kPatience}), flags_(flags) {}

  ExitCode RunFiles(const importer::InputFiles& input, const importer::FileImportOptions& options) {
    for (const std::string& remark : input.remarks) Complain(remark);
    for (const importer::InputFile& file : input.files) {
      if (goes_on_) ImportFile(file, options);
    }
    for (const std::string& folder : input.folders) {
      if (goes_on_) ComplainIfEmpty(folder, input);
    }
    return Conclude();
  }

  ExitCode RunPrometheus(const importer::PrometheusSource& source, HttpClient& client) {
    const auto read = [&client](const importer::Outgoing& request,
                                const HttpClient::TakeBody& take) {
      return ReplyOf(client.Post(request.path, request.headers, request.body, take));
    };
    ImportReport report;
    Begin();
    const importer::ImportSession session = Session();
    End(importer::PrometheusImport(source, read, Wait, {kPatience}, session, report).Run(), report);
    return Conclude();
  }

 private:
  void ImportFile(const importer::InputFile& file, const importer::FileImportOptions& options) {
    ImportReport report;
    Begin();
    const absl::Status status = importer::ImportFile(file, options, Session(), report);
    const bool is_unknown = absl::IsInvalidArgument(status) && report.format.empty();
    if (!is_unknown) {
      if (status.ok()) read_folders_.insert(file.root);
      return End(status, report);
    }
    terminal_.Clear();
    const std::string_view why = file.is_named ? Message(status) : "unknown format";
    Complain(absl::StrFormat("%s: %s", file.path, why));
    ++(file.is_named ? totals_.unknown_named : totals_.unknown);
  }

  // If nothing in a folder could be imported, the user probably made a mistake.
  void ComplainIfEmpty(const std::string& folder, const importer::InputFiles& input) {
    if (read_folders_.contains(folder)) return;
    const auto seen = std::ranges::count(input.files, folder, &importer::InputFile::root);
    Complain(absl::StrFormat(
        "%s: nothing to import: %s", folder,
        seen == 0
            ? std::string("the folder has no files")
            : absl::StrFormat("none of its %d files is complete and of a known format", seen)));
    ++totals_.empty_folders;
  }

  void Begin() {
    complaints_ = 0;
    source_start_ = Clock::now();
  }

  void End(const absl::Status& status, const ImportReport& report) {
    terminal_.Clear();
    if (complaints_ > kMaxComplaints) {
      Complain(absl::StrFormat("%s: ... and %d more errors", report.source,
                               complaints_ - kMaxComplaints));
    }
    totals_.samples += report.new_samples();
    totals_.read_bytes += report.read_bytes;
    if (!status.ok()) {
      Complain(absl::StrFormat("%s: %s", report.source, Message(status)));
      ++totals_.failed;
      // The server accepts no more data.
      goes_on_ = !absl::IsUnavailable(status) && !absl::IsFailedPrecondition(status);
      return;
    }
    ++totals_.sources;
    if (!report.is_whole()) ++totals_.not_whole;
    std::printf("%s\n", ReportText(report).c_str());
  }

  ExitCode Conclude() {
    std::printf("%s\n", TotalsText(totals_, flags_.dry_run, Clock::now() - start_).c_str());
    if (!goes_on_) return kFailure;
    const bool is_whole =
        totals_.not_whole + totals_.unknown_named + totals_.failed + totals_.empty_folders == 0;
    if (is_whole) return kSuccess;
    return totals_.sources > 0 ? kPartial : kFailure;
  }

  importer::ImportSession Session() {
    return {delivery_,
            times_,
            flags_.dry_run,
            flags_.resume,
            [this](const ImportReport& report) { ShowProgress(report); },
            [this](const ImportReport& report, const std::string& message) {
              if (++complaints_ > kMaxComplaints) return;
              terminal_.Clear();
              Complain(absl::StrFormat("%s: %s", report.source, message));
            }};
  }

  void ShowProgress(const ImportReport& report) {
    const Clock::time_point now = Clock::now();
    if (now - last_shown_ < kProgressEvery) return;
    last_shown_ = now;
    terminal_.Show(ProgressText(report, now - source_start_));
  }

  importer::Delivery delivery_;
  importer::SampleTimes times_;
  const ImportFlags& flags_;
  TerminalLine terminal_{isatty(STDERR_FILENO) == 1};
  ImportTotals totals_;
  std::set<std::string> read_folders_;  // folders from which something was imported
  bool goes_on_ = true;
  int complaints_ = 0;  // for the current source
  const Clock::time_point start_ = Clock::now();
  Clock::time_point source_start_;
  Clock::time_point last_shown_ = start_;
};

ExitCode ComplainOfUsage(const absl::Status& status) {
  Complain(Message(status));
  return kUsage;
}

ExitCode ImportFiles(const ImportFlags& flags, HttpClient& client) {
  importer::FileImportOptions options{std::nullopt, flags.hints};
  if (!flags.format.empty()) {
    auto format = importer::FormatOfName(flags.format);
    if (!format.ok()) return ComplainOfUsage(format.status());
    options.format = *std::move(format);
  }
  return ImportVerb(client, flags).RunFiles(importer::FindInputFiles(flags.paths), options);
}

ExitCode ImportPrometheus(const ImportFlags& flags, HttpClient& client) {
  HttpClientOptions options;
  options.url = flags.prometheus.url;
  const auto source_client = HttpClient::Make(options);
  if (!source_client.ok()) return ComplainOfUsage(source_client.status());
  const auto source = MakeSource(flags.prometheus, **source_client, SystemTimeMs());
  if (absl::IsInvalidArgument(source.status())) return ComplainOfUsage(source.status());
  if (!source.ok()) {
    Complain(Message(source.status()));
    return kFailure;
  }
  return ImportVerb(client, flags).RunPrometheus(*source, **source_client);
}

}  // namespace

ExitCode Import(const ImportFlags& flags) {
  if (flags.paths.empty() == flags.prometheus.url.empty()) {
    return ComplainOfUsage(absl::InvalidArgumentError(
        "import needs either files and folders or --from-prometheus URL"));
  }
  const auto client = HttpClient::Make(flags.server);
  if (!client.ok()) return ComplainOfUsage(client.status());
  return flags.paths.empty() ? ImportPrometheus(flags, **client) : ImportFiles(flags, **client);
}

}  // namespace lockstep::cli
