// TextImport: the samples of a file of exposition text or OpenMetrics, batch after batch. Not thread-safe.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "import/import_session.h"
#include "import/line_source.h"
#include "import/resume_point.h"
#include "import/sample_sender.h"
#include "import/text_batch.h"
#include "ingest/exposition/text_format.h"

namespace lockstep::importer {

class TextImport {
 public:
  // All of them outlive it.
  TextImport(ByteSource& source, exposition::TextFormat format, const ImportSession& session,
             ImportReport& report)
      : source_(source),
        format_(format),
        session_(session),
        report_(report),
        lines_(source),
        batch_(format),
        sender_(session, report) {}

  // Fails when the file cannot be read or the server takes nothing more. Bad lines are no failure.
  absl::Status Run(size_t max_batch_samples = kMaxRequestSamples);

 private:
  absl::Status SkipDoneLines(uint64_t count);
  void TakeLine(std::string_view text);
  absl::Status Deliver(ResumePoint& point);
  void Conclude();

  ByteSource& source_;
  const exposition::TextFormat format_;
  const ImportSession& session_;
  ImportReport& report_;
  LineSource lines_;
  TextBatch batch_;
  SampleSender sender_;
  uint64_t batch_first_line_ = 1;
  uint64_t exemplars_ = 0;
  bool has_end_ = false;  // "# EOF" was there
};

}  // namespace lockstep::importer
