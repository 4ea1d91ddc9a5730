// One JSON object to a record: its numbers are values, members of objects are joined by '.'. For one thread.
#pragma once

#include <simdjson.h>

#include <span>
#include <string_view>

#include "ingest/logs/json_scanner.h"
#include "ingest/logs/key_cache.h"
#include "ingest/logs/log_format.h"
#include "ingest/logs/record_fields.h"

namespace lockstep::logs {

class JsonLineReader {
 public:
  explicit JsonLineReader(std::span<const MetricSource> sources)
      : keys_(sources), scanner_(keys_, fields_) {}

  // Begins a record of `line` in `out`, with what the object `text` in it holds. What that views lives until the
  // next call, and as long as the line. Lists, texts without a role and true, false and null say nothing; NaN and Infinity are numbers.
  LineVerdict Read(const LogLine& line, std::string_view text, RecordWriter& out);
  // Adds what an object inside a document holds to the record begun in `out`.
  LineVerdict ReadObject(simdjson::ondemand::object object, RecordWriter& out);

  // What happened, of the object read last.
  std::string_view event_text() const { return fields_.event_text(); }

 private:
  LineVerdict Parse(std::string_view text, RecordWriter& out);

  using Error = std::string_view;  // empty: none; static storage

  Error ReadMembers(simdjson::ondemand::object object, const MetricKey* parent, int depth,
                    RecordWriter& out);
  Error ReadMember(simdjson::ondemand::field field, const MetricKey* parent, int depth,
                   RecordWriter& out);
  // Counts the numbers in an object whose own name is over a limit.
  Error DropMembers(simdjson::ondemand::object object, int depth, RecordWriter& out);
  Error ReadText(simdjson::ondemand::value value, const MetricKey* key, RecordWriter& out);
  Error ReadBareWord(std::string_view token, const MetricKey* key, RecordWriter& out);

  KeyCache keys_;
  simdjson::ondemand::parser parser_;
  RecordFields fields_;
  JsonScanner scanner_;
};

}  // namespace lockstep::logs
