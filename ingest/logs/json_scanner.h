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
  // was added has to be dropped. kBufferPadding behind `text` can be read.
  bool Scan(std::string_view text, RecordWriter& out);

 private:
  // Each reads what begins at `at` and returns where it ends; null: not for the scanner. Bounds are looked at once a
  // member and in loops: what else is behind the text can be read, and is no part of a line that ends at its end.
  const char* ScanObject(const char* at, const MetricKey* parent, int depth, RecordWriter& out);
  const char* ScanMember(const char* at, const MetricKey* parent, int depth, RecordWriter& out);
  const char* ScanNumber(const char* at, const MetricKey* key, RecordWriter& out);
  const char* ScanWord(const char* at, const MetricKey* key, RecordWriter& out);
  const char* SkipSpaces(const char* at) const;
  // Where the text that begins behind a quote has its next; null for one with more than plain bytes.
  const char* EndOfText(const char* at) const;

  KeyCache& keys_;
  RecordFields& fields_;
  const char* end_ = nullptr;
};

}  // namespace lockstep::logs
