// ImportRun: a file of text-format lines to a server, batch after batch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "import/batch.h"
#include "import/delivery.h"
#include "import/line_source.h"
#include "ingest/exposition/text_format.h"

namespace lockstep::importer {

struct ImportOptions {
  std::string path;
  exposition::TextFormat format = exposition::TextFormat::kOpenMetrics;
  bool resume = false;   // keep a ResumePoint and begin at it
  bool dry_run = false;  // parse and encode, deliver nothing
  size_t max_batch_samples = 10'000;
};

struct ImportTotals {
  uint64_t lines = 0;
  uint64_t skipped_lines = 0;  // delivered by an earlier run
  uint64_t samples = 0;        // delivered, the partly taken batches included
  uint64_t batches = 0;
  uint64_t partly_taken_batches = 0;
  uint64_t exemplars = 0;  // left out
  uint64_t bad_lines = 0;
  bool has_end = false;  // "# EOF" was there
  uint64_t read_bytes = 0;
  uint64_t file_bytes = 0;  // 0 when not known
};

class ImportRun {
 public:
  using Progress = std::function<void(const ImportTotals&)>;
  using Complain = std::function<void(const std::string& message)>;

  // `complain` hears of each bad line and each partly taken batch, with line numbers; `progress` of
  // each delivered batch.
  ImportRun(ImportOptions options, Delivery& delivery, Progress progress, Complain complain);

  // Fails when the file cannot be read or the server takes nothing more. Bad lines are no failure.
  absl::Status Run();

  const ImportTotals& totals() const { return totals_; }

 private:
  absl::Status SkipDoneLines();
  void TakeLine(std::string_view text);
  absl::Status Deliver();

  const ImportOptions options_;
  Delivery& delivery_;
  const Progress progress_;
  const Complain complain_;
  std::unique_ptr<LineSource> source_;
  Batch batch_;
  uint64_t batch_first_line_ = 1;
  ImportTotals totals_;
};

}  // namespace lockstep::importer
