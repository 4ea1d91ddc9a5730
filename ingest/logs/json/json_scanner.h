// A fast path for the JSON that trainers write: one pass over objects of numbers, short texts and
// objects, without escapes. Most lines contain nothing else, with the same names in the same order,
// and a general parser takes three times as long. As a part of JsonLineReader, the scanner leaves
// everything else to it: it accepts only valid JSON (plus Python's NaN and Infinity), and produces
// what the parser would. For one thread.
#pragma once

#include <string_view>

#include "ingest/logs/record/key_cache.h"
#include "ingest/logs/record/record_fields.h"

namespace lockstep::logs {

class JsonScanner {
 public:
  // Borrows both.
  JsonScanner(KeyCache& keys, RecordFields& fields) : keys_(keys), fields_(fields) {}

  // Adds the content of the object `text` to the record begun in `out`. False if the scanner cannot
  // handle it; then what was added must be dropped. kBufferPadding bytes after `text` must be
  // readable.
  bool Scan(std::string_view text, RecordWriter& out);

 private:
  // Each parses what begins at `at` and returns its end, or null if the scanner cannot handle it.
  // Bounds are checked only once per member and in loops: bytes after the text are readable, and
  // cannot be part of a line that ends at its end.
  const char* ScanObject(const char* at, const MetricKey* parent, int depth, RecordWriter& out);
  const char* ScanMember(const char* at, const MetricKey* parent, int depth, RecordWriter& out);
  const char* ScanNumber(const char* at, const MetricKey* key, RecordWriter& out);
  const char* ScanWord(const char* at, const MetricKey* key, RecordWriter& out);
  const char* SkipSpaces(const char* at) const;
  // The closing quote of the text at `at`; null if it has other than plain bytes.
  const char* EndOfText(const char* at) const;

  KeyCache& keys_;
  RecordFields& fields_;
  const char* end_ = nullptr;
};

}  // namespace lockstep::logs
