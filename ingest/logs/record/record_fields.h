// Adds named fields to a record by their roles: shared by JSON, CSV and Python dictionaries.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/logs/record/record_writer.h"

namespace lockstep::logs {

// Parses "NaN", "Infinity" and "-Infinity", as Python and JavaScript write them; JSON lacks them.
std::optional<double> NumberOfBareWord(std::string_view token);

class RecordFields {
 public:
  // Starts a new record.
  void Begin();

  // A null key counts as dropped.
  void TakeNumber(const MetricKey* key, double number, RecordWriter& out) {
    if (key == nullptr || key->role == KeyRole::kValue) {
      out.Add(key, number);
    } else {
      TakeRole(*key, number, out);
    }
  }
  // `text` must live until the record is emitted. Ignores text without a role.
  void TakeText(const MetricKey* key, std::string_view text, RecordWriter& out);

  // The text of the event field, if any.
  std::string_view event_text() const { return event_text_; }

 private:
  // Handles a name that identifies the record: time, step, rank and so on.
  void TakeRole(const MetricKey& key, double number, RecordWriter& out);

  std::string_view event_text_;
  uint8_t step_precedence_ = 0;  // of the record's step
};

}  // namespace lockstep::logs
