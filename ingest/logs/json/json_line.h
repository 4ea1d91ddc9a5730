// Converts one JSON object to a record: its numbers become values, nested names are joined by '.'.
// For one thread.
#pragma once

#include <simdjson.h>

#include <span>
#include <string_view>

#include "ingest/logs/json/json_scanner.h"
#include "ingest/logs/record/key_cache.h"
#include "ingest/logs/record/log_format.h"
#include "ingest/logs/record/record_fields.h"

namespace lockstep::logs {

class JsonLineReader {
 public:
  explicit JsonLineReader(std::span<const MetricSource> sources)
      : keys_(sources), scanner_(keys_, fields_) {}

  // Begins a record of `line` in `out` with the content of the object `text`. Views in it are valid
  // until the next call and as long as the line. Ignores lists, texts without a role, true, false
  // and null; accepts NaN and Infinity as numbers.
  LineVerdict Read(const LogLine& line, std::string_view text, RecordWriter& out);
  // Adds the content of a document's object to the record begun in `out`.
  LineVerdict ReadObject(simdjson::ondemand::object object, RecordWriter& out);

  // The event text of the last object.
  std::string_view event_text() const { return fields_.event_text(); }

 private:
  LineVerdict Parse(std::string_view text, RecordWriter& out);

  using Error = std::string_view;  // empty: none; static storage

  Error ReadMembers(simdjson::ondemand::object object, const MetricKey* parent, int depth,
                    RecordWriter& out);
  Error ReadMember(simdjson::ondemand::field field, const MetricKey* parent, int depth,
                   RecordWriter& out);
  // Counts the numbers in an object whose key is over a limit.
  Error DropMembers(simdjson::ondemand::object object, int depth, RecordWriter& out);
  Error ReadText(simdjson::ondemand::value value, const MetricKey* key, RecordWriter& out);
  Error ReadBareWord(std::string_view token, const MetricKey* key, RecordWriter& out);

  KeyCache keys_;
  simdjson::ondemand::parser parser_;
  RecordFields fields_;
  JsonScanner scanner_;
};

}  // namespace lockstep::logs
