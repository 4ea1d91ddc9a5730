// What trackers (W&B, MLflow) logged of runs, on the way to a server. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "import/import_session.h"
#include "import/record_batch.h"
#include "import/sample_sender.h"
#include "import/traces/trace_record.h"
#include "ingest/logs/key_cache.h"
#include "ingest/logs/log_hints.h"

namespace lockstep::importer {

// Rows of named values become records: names and units are those of the catalogue where it has
// them. Some names say the step or the rank instead, as docs/log_formats.md lists them.
class LoggedRows {
 public:
  // `time_ms` is that of rows without one. Session and report outlive it.
  LoggedRows(const ImportSession& session, ImportReport& report, int64_t time_ms)
      : batch_(session.times, time_ms), sender_(session, report), report_(report) {}

  struct Row {
    std::optional<int64_t> step;
    std::optional<int64_t> time_ms;
  };
  // A value of the row that Begin() began. `keys` describe the names of its source.
  void Begin(const Row& row);
  void Add(logs::KeyCache& keys, std::string_view name, double value);
  // Puts the row's values under their owner. Fails when the server takes nothing more.
  absl::Status End(const logs::LogHints& owner);

  // A sample 1 of a series that names a run: who reads an id finds there what people call it.
  void AddInfo(const logs::LogHints& owner, std::string_view metric, int64_t time_ms,
               std::vector<traces::TraceLabel> labels);

  absl::Status Deliver();

 private:
  RecordBatch batch_;
  SampleSender sender_;
  ImportReport& report_;
  traces::TraceRecord record_;  // what all values of the row have
  uint8_t step_precedence_ = 0;
  struct Value {
    const logs::MetricKey* key;
    double value;
  };
  std::vector<Value> values_;
};

}  // namespace lockstep::importer
