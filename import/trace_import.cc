// Imports the output of profilers and TensorBoard, decoded by import/traces.
#include <vector>

#include "absl/strings/str_format.h"
#include "import/delivery/record_batch.h"
#include "import/importers.h"
#include "import/traces/kineto/kineto_reader.h"
#include "import/traces/kineto_records.h"
#include "import/traces/nsys/nsys_stats.h"
#include "import/traces/profile/step_profile.h"
#include "import/traces/records/trace_problems.h"
#include "import/traces/records/trace_record.h"
#include "import/traces/tensorboard/tensorboard_reader.h"

namespace lockstep::importer {
namespace {

using traces::TraceRecord;

class TraceImport {
 public:
  // All must outlive this object.
  TraceImport(ByteSource& source, const logs::LogHints& hints, const ImportSession& session,
              ImportReport& report)
      : source_(source),
        session_(session),
        report_(report),
        hints_(hints),
        batch_(session.times, source.modified_ms()),
        sender_(session, report) {}

  // `kind` is kTensorboard, kKineto or kNsys. Fails if the file cannot be read or the server
  // accepts no more.
  absl::Status Run(FileKind kind);

 private:
  absl::Status RunTensorboard();
  absl::Status RunKineto();
  absl::Status RunNsys();
  // Calls feed(bytes) for each piece of the file.
  template <typename Feed>
  absl::Status ReadAll(const Feed& feed);
  // Sends `records` and clears them.
  absl::Status Take(std::vector<traces::TraceRecord>& records);
  absl::Status Deliver();
  void Tell(const traces::TraceProblems& problems);

  ByteSource& source_;
  const ImportSession& session_;
  ImportReport& report_;
  const logs::LogHints& hints_;
  RecordBatch batch_;
  SampleSender sender_;
};

absl::Status TraceImport::Run(FileKind kind) {
  if (kind == FileKind::kTensorboard) return RunTensorboard();
  if (kind == FileKind::kKineto) return RunKineto();
  return RunNsys();
}

template <typename Feed>
absl::Status TraceImport::ReadAll(const Feed& feed) {
  while (true) {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string_view piece, source_.Next());
    if (piece.empty()) return absl::OkStatus();
    report_.read_bytes = source_.read_bytes();
    LOCKSTEP_RETURN_IF_ERROR(feed(piece));
  }
}

absl::Status TraceImport::RunTensorboard() {
  traces::TensorboardReader reader;
  std::vector<TraceRecord> records;
  LOCKSTEP_RETURN_IF_ERROR(ReadAll([&](std::string_view piece) {
    reader.Feed(piece, records);
    return Take(records);
  }));
  reader.Finish();
  Tell(reader.problems());
  const traces::TensorboardCounts& counts = reader.counts();
  if (const uint64_t others = counts.histograms + counts.other_values; others > 0) {
    report_.remarks.push_back(
        absl::StrFormat("%d histograms, images and texts were left out", others));
  }
  return Deliver();
}

absl::Status TraceImport::RunKineto() {
  traces::KinetoReader reader;
  LOCKSTEP_RETURN_IF_ERROR(ReadAll([&](std::string_view piece) {
    reader.Feed(piece);
    session_.progress(report_);
    return absl::OkStatus();
  }));
  reader.Finish();
  std::vector<TraceRecord> records;
  traces::AppendRecords(reader.trace(), traces::ProfileOf(reader.trace()), records);
  LOCKSTEP_RETURN_IF_ERROR(Take(records));
  Tell(reader.problems());
  return Deliver();
}

absl::Status TraceImport::RunNsys() {
  traces::NsysStatsReader reader;
  std::vector<TraceRecord> records;
  LOCKSTEP_RETURN_IF_ERROR(ReadAll([&](std::string_view piece) {
    reader.Feed(piece, records);
    return Take(records);
  }));
  reader.Finish(records);
  LOCKSTEP_RETURN_IF_ERROR(Take(records));
  Tell(reader.problems());
  if (const uint64_t merged = reader.merged_instances(); merged > 0) {
    report_.remarks.push_back(absl::StrFormat(
        "%d instances began in the same millisecond as others and were left out", merged));
  }
  for (const std::string& table : reader.unknown_tables()) {
    report_.remarks.push_back(absl::StrFormat("not read: %s", table));
  }
  return Deliver();
}

absl::Status TraceImport::Take(std::vector<TraceRecord>& records) {
  for (const TraceRecord& record : records) {
    batch_.Add(hints_, record);
    if (batch_.sample_count() >= kMaxRequestSamples) LOCKSTEP_RETURN_IF_ERROR(Deliver());
  }
  records.clear();
  return absl::OkStatus();
}

absl::Status TraceImport::Deliver() {
  LOCKSTEP_RETURN_IF_ERROR(
      sender_.Send(batch_.request(), {},
                   absl::StrFormat("samples after the first %d", report_.counts.samples())));
  batch_.Clear();
  return absl::OkStatus();
}

void TraceImport::Tell(const traces::TraceProblems& problems) {
  for (const traces::TraceProblem& problem : problems.all()) {
    report_.left_out += problem.count;
    session_.complain(report_, absl::StrFormat("%d x %s, first at byte %d", problem.count,
                                               problem.reason, problem.first_offset));
  }
}

}  // namespace

absl::Status ImportTrace(ByteSource& source, FileKind kind, const logs::LogHints& hints,
                         const ImportSession& session, ImportReport& report) {
  return TraceImport(source, hints, session, report).Run(kind);
}

}  // namespace lockstep::importer
