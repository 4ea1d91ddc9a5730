// TraceImport: what profilers and TensorBoard wrote, read by import/traces, as samples. Not thread-safe.
#pragma once

#include <vector>

#include "base/status.h"
#include "import/byte_source.h"
#include "import/file_kind.h"
#include "import/import_session.h"
#include "import/record_batch.h"
#include "import/sample_sender.h"
#include "import/traces/trace_problems.h"
#include "import/traces/trace_record.h"
#include "ingest/logs/log_hints.h"

namespace lockstep::importer {

class TraceImport {
 public:
  // All of them outlive it.
  TraceImport(ByteSource& source, const logs::LogHints& hints, const ImportSession& session,
              ImportReport& report)
      : source_(source),
        session_(session),
        report_(report),
        hints_(hints),
        batch_(session.times, source.modified_ms()),
        sender_(session, report) {}

  // `kind` is one of kTensorboard, kKineto and kNsys. Fails when the file cannot be read or the server takes
  // nothing more.
  absl::Status Run(FileKind kind);

 private:
  absl::Status RunTensorboard();
  absl::Status RunKineto();
  absl::Status RunNsys();
  // feed(bytes) for each piece of the file.
  template <typename Feed>
  absl::Status ReadAll(const Feed& feed);
  // Empties `records`.
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

}  // namespace lockstep::importer
