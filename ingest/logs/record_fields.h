// Named fields, by their roles, to a record: what JSON, CSV and Python's dictionaries have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ingest/logs/record_writer.h"

namespace lockstep::logs {

// "NaN", "Infinity", "-Infinity": as Python and JavaScript write them, which JSON does not know.
std::optional<double> NumberOfBareWord(std::string_view token);

class RecordFields {
 public:
  // Of a new record.
  void Begin();

  // A null key counts as dropped.
  void TakeNumber(const MetricKey* key, double number, RecordWriter& out) {
    if (key == nullptr || key->role == KeyRole::kValue) {
      out.Add(key, number);
    } else {
      TakeRole(*key, number, out);
    }
  }
  // `text` lives until the record is emitted. Text without a role says nothing.
  void TakeText(const MetricKey* key, std::string_view text, RecordWriter& out);

  // Of a field that says what happened.
  std::string_view event_text() const { return event_text_; }

 private:
  // Of a name that says when or by whom the record was written.
  void TakeRole(const MetricKey& key, double number, RecordWriter& out);

  std::string_view event_text_;
  uint8_t step_precedence_ = 0;  // of the step that the record has
};

}  // namespace lockstep::logs
