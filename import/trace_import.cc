#include "import/trace_import.h"

#include "absl/strings/str_format.h"
#include "import/traces/kineto_reader.h"
#include "import/traces/kineto_records.h"
#include "import/traces/nsys_stats.h"
#include "import/traces/step_profile.h"
#include "import/traces/tensorboard_reader.h"

namespace lockstep::importer {

using traces::TraceRecord;

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
        "%d instances began in the same millisecond as others and are left out", merged));
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
                   absl::StrFormat("samples behind the first %d", report_.counts.samples())));
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

}  // namespace lockstep::importer
