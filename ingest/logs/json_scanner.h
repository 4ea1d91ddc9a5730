// The JSON that trainers write, read in one pass: objects of numbers, short texts and objects, without escapes.
// Most lines are nothing else, with the same names in the same order, and a general parser costs three times as
// much. What the scanner does not know it leaves to JsonLineReader, of which it is a part: it takes no line that
// is not JSON (but for Python's NaN and Infinity), and finds in it what the parser would. For one thread.
#pragma once

#include <string_view>

#include "ingest/logs/key_cache.h"
#include "ingest/logs/record_fields.h"

namespace lockstep::logs {

class JsonScanner {
 public:
  // Both are borrowed.
  JsonScanner(KeyCache& keys, RecordFields& fields) : keys_(keys), fields_(fields) {}

  // Adds what the object `text` holds to the record begun in `out`. False: not one for the scanner, and what
  // was added has to be dropped. kMaxKeyBytes behind `text` can be read.
  bool Scan(std::string_view text, RecordWriter& out);

 private:
  bool ScanObject(const MetricKey* parent, int depth, RecordWriter& out);
  bool ScanMember(const MetricKey* parent, int depth, RecordWriter& out);
  bool ScanNumber(const MetricKey* key, RecordWriter& out);
  bool ScanText(const MetricKey* key, RecordWriter& out);
  bool ScanWord(const MetricKey* key, RecordWriter& out);
  // The text from at_, behind its first quote, to the next; at_ is then behind that.
  bool TakeText(std::string_view& text);
  bool TakeByte(char byte);
  void SkipSpaces();

  KeyCache& keys_;
  RecordFields& fields_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace lockstep::logs
