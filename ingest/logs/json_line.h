// One JSON object to a record: its numbers are values, members of objects are joined by '.'. For one thread.
#pragma once

#include <simdjson.h>

#include <span>
#include <string_view>

#include "ingest/logs/key_cache.h"
#include "ingest/logs/log_format.h"
#include "ingest/logs/record_fields.h"

namespace lockstep::logs {

class JsonLineReader {
 public:
  explicit JsonLineReader(std::span<const MetricSource> sources) : keys_(sources) {}

  // Adds what the object `line.text` holds to the record begun in `out`. What it adds lives until the next
  // call. Lists, texts without a role and true, false and null say nothing; NaN and Infinity are numbers.
  LineVerdict Read(std::string_view text, RecordWriter& out);
  // The same of an object inside a document.
  LineVerdict ReadObject(simdjson::ondemand::object object, RecordWriter& out);

  // What happened, of the object read last.
  std::string_view event_text() const { return fields_.event_text(); }

 private:
  using Error = std::string_view;  // empty: none; static storage

  Error ReadMembers(simdjson::ondemand::object object, const MetricKey* parent, int depth,
                    RecordWriter& out);
  Error ReadMember(simdjson::ondemand::field field, const MetricKey* parent, int depth,
                   RecordWriter& out);
  Error ReadText(simdjson::ondemand::value value, const MetricKey* key, RecordWriter& out);
  Error ReadBareWord(std::string_view token, const MetricKey* key, RecordWriter& out);

  KeyCache keys_;
  simdjson::ondemand::parser parser_;
  RecordFields fields_;
};

}  // namespace lockstep::logs
