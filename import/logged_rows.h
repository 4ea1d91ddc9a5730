// LoggedRows: sends the logged metrics of trackers' runs (W&B, MLflow) to a server. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "import/delivery/import_session.h"
#include "import/delivery/record_batch.h"
#include "import/delivery/sample_sender.h"
#include "import/traces/records/trace_record.h"
#include "ingest/logs/record/key_cache.h"
#include "ingest/logs/record/log_hints.h"

namespace lockstep::importer {

// Rows of named values become records, with names and units from the catalogue if known. Some names
// mean the step or the rank, as listed in docs/log_formats.md.
class LoggedRows {
 public:
  // `time_ms` applies to rows without a time. Session and report must outlive this object.
  LoggedRows(const ImportSession& session, ImportReport& report, int64_t time_ms)
      : batch_(session.times, time_ms), sender_(session, report), report_(report) {}

  struct Row {
    std::optional<int64_t> step;
    std::optional<int64_t> time_ms;
  };
  // Begin() starts a row, to which values are added. `keys` describe the names in the source.
  void Begin(const Row& row);
  void Add(logs::KeyCache& keys, std::string_view name, double value);
  // Stores the row's values under `owner`. Fails if the server accepts no more.
  absl::Status End(const logs::LogHints& owner);

  // Adds a sample of 1 to a series that maps a run's ID to its display name.
  void AddInfo(const logs::LogHints& owner, std::string_view metric, int64_t time_ms,
               std::vector<traces::TraceLabel> labels);

  absl::Status Deliver();

 private:
  RecordBatch batch_;
  SampleSender sender_;
  ImportReport& report_;
  traces::TraceRecord record_;  // fields shared by the row's values
  uint8_t step_precedence_ = 0;
  struct Value {
    const logs::MetricKey* key;
    double value;
  };
  std::vector<Value> values_;
};

}  // namespace lockstep::importer
