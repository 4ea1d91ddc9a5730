#include "import/file_import.h"

#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "import/block_import.h"
#include "import/byte_source.h"
#include "import/file_hints.h"
#include "import/log_import.h"
#include "import/mlflow_import.h"
#include "import/text_import.h"
#include "import/trace_import.h"
#include "import/wandb_import.h"

namespace lockstep::importer {
namespace {

constexpr std::string_view kStepFormat = "jsonl";

// `given` is what is set for all files, `hints` that and what the file's path says.
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
      return TextImport(*source, TextFormat::kOpenMetrics, session, report).Run();
    case FileKind::kPrometheus:
      return TextImport(*source, TextFormat::kPrometheus, session, report).Run();
    case FileKind::kSteps:
      hints.format = kStepFormat;
      return ImportLog(std::move(source), PushedLog::Route::kSteps, hints, session, report);
    case FileKind::kLog:
      return ImportLog(std::move(source), PushedLog::Route::kLog, hints, session, report);
    case FileKind::kTensorboard:
    case FileKind::kKineto:
    case FileKind::kNsys:
      break;
  }
  return TraceImport(*source, hints, session, report).Run(format.kind);
}

// What SampleTimes did with a file's samples.
class TimesOfFile {
 public:
  explicit TimesOfFile(const SampleTimes& times)
      : times_(times), moved_(times.moved()), duplicates_(times.duplicates()) {}

  void Tell(ImportReport& report) const {
    if (const uint64_t moved = times_.moved() - moved_; moved > 0) {
      report.remarks.push_back(absl::StrFormat(
          "%d samples are stored behind others that were logged at the same time", moved));
    }
    if (const uint64_t duplicates = times_.duplicates() - duplicates_; duplicates > 0) {
      report.remarks.push_back(absl::StrFormat("%d samples were there twice", duplicates));
    }
    if (times_.has_forgotten()) {
      report.remarks.push_back(absl::StrFormat(
          "of more than %d samples that are imported at once, some may take the time of others",
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
  // Of a log that nobody has written to yet.
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
  // Whether a database is one of MLflow is known when it is open.
  if (format.kind != FileKind::kMlflow) report.format = format.name;
  logs::LogHints hints = HintsOf(file, options.hints);
  // What was only found out may be found to be another format further on.
  if (options.format.has_value() && format.kind == FileKind::kLog) hints.format = format.name;
  const TimesOfFile times(session.times);
  LOCKSTEP_RETURN_IF_ERROR(
      ImportAs(format, std::move(source), options.hints, std::move(hints), session, report));
  times.Tell(report);
  return absl::OkStatus();
}

}  // namespace lockstep::importer
