#include "import/file_import.h"

#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "import/files/byte_source.h"
#include "import/files/input_files.h"
#include "import/importers.h"

namespace lockstep::importer {
namespace {

constexpr std::string_view kStepFormat = "jsonl";

// `given` are the hints for all files, `hints` includes those from the file's path.
absl::Status ImportAs(const FileFormat& format, std::unique_ptr<ByteSource> source,
                      const logs::LogHints& given, logs::LogHints hints,
                      const ImportSession& session, ImportReport& report) {
  using exposition::TextFormat;
  switch (format.kind) {
    case FileKind::kWandb:
      return ImportWandb(*source, given, hints, session, report);
    case FileKind::kMlflow:
      return ImportMlflow(source->path(), given, session, report);
    case FileKind::kOpenMetrics:
      return ImportText(*source, TextFormat::kOpenMetrics, session, report);
    case FileKind::kPrometheus:
      return ImportText(*source, TextFormat::kPrometheus, session, report);
    case FileKind::kSteps:
      hints.format = kStepFormat;
      return ImportLog(std::move(source), PushedLog::Route::kSteps, hints, session, report);
    case FileKind::kLog:
      return ImportLog(std::move(source), PushedLog::Route::kLog, hints, session, report);
    case FileKind::kFlightRecorder:
    case FileKind::kStack:
      return ImportDump(*source, hints, session, report);
    case FileKind::kTensorboard:
    case FileKind::kKineto:
    case FileKind::kNsys:
      break;
  }
  return ImportTrace(*source, format.kind, hints, session, report);
}

// What SampleTimes did with a file's samples.
class TimesOfFile {
 public:
  explicit TimesOfFile(const SampleTimes& times)
      : times_(times), moved_(times.moved()), duplicates_(times.duplicates()) {}

  void Tell(ImportReport& report) const {
    if (const uint64_t moved = times_.moved() - moved_; moved > 0) {
      report.remarks.push_back(absl::StrFormat(
          "%d samples got later times, because others of their series were logged at the same time",
          moved));
    }
    if (const uint64_t duplicates = times_.duplicates() - duplicates_; duplicates > 0) {
      report.remarks.push_back(absl::StrFormat("%d samples appeared twice", duplicates));
    }
    if (times_.has_forgotten()) {
      report.remarks.push_back(absl::StrFormat(
          "after the first %d samples of an import, samples may replace others with the same time",
          SampleTimes::kMaxSamples));
    }
  }

 private:
  const SampleTimes& times_;
  const uint64_t moved_;
  const uint64_t duplicates_;
};

}  // namespace

absl::Status ImportFile(const InputFile& file, const FileImportOptions& options,
                        const ImportSession& session, ImportReport& report) {
  report.source = file.path;
  if (file.is_block) {
    report.format = "tsdb block";
    return ImportBlock(file.path, session, report);
  }
  LOCKSTEP_ASSIGN_OR_RETURN(std::unique_ptr<ByteSource> source, ByteSource::Open(file.path));
  report.file_bytes = source->file_bytes();
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view head, source->Head());
  // A log that is still empty.
  if (head.empty()) {
    report.format = "empty";
    return absl::OkStatus();
  }
  FileFormat format;
  if (options.format.has_value()) {
    format = *options.format;
  } else {
    LOCKSTEP_ASSIGN_OR_RETURN(format, FormatOfFile(file.path, head));
  }
  // Only opening a database shows whether it is MLflow's.
  if (format.kind != FileKind::kMlflow) report.format = format.name;
  logs::LogHints hints = HintsOf(file, options.hints);
  // Pass on only a format chosen by the user: a detected one may change later in the file.
  if (options.format.has_value() && format.kind == FileKind::kLog) hints.format = format.name;
  const TimesOfFile times(session.times);
  LOCKSTEP_RETURN_IF_ERROR(
      ImportAs(format, std::move(source), options.hints, std::move(hints), session, report));
  times.Tell(report);
  return absl::OkStatus();
}

}  // namespace lockstep::importer
