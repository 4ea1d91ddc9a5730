// CSV rows, with quotes around cells that contain commas, (doubled) quotes or line ends.
//
// Source: RFC 4180.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/traces/records/trace_problems.h"

namespace lockstep::traces {

struct CsvRow {
  std::vector<std::string> cells;  // unquoted; one empty cell for an empty line
  uint64_t offset = 0;
};

// Parses a file piece by piece. For one thread.
class CsvRows {
 public:
  // `problems` must outlive this object.
  explicit CsvRows(TraceProblems& problems) : problems_(problems) {}

  // Adds the next bytes of the file. Call Next() until it returns nothing before the next Append().
  void Append(std::string_view bytes);
  std::optional<CsvRow> Next();
  // Ends the file; returns the last row if no line end follows it.
  std::optional<CsvRow> Finish();

 private:
  enum class State : uint8_t { kCellBegin, kPlain, kQuoted, kQuoteInQuoted };

  // Whether `c` ended the row.
  bool Take(char c);
  void Put(char c);
  std::optional<CsvRow> TakeRow();

  TraceProblems& problems_;
  std::string buffer_;
  size_t at_ = 0;
  uint64_t offset_ = 0;  // of buffer_[at_] in the file
  State state_ = State::kCellBegin;
  CsvRow row_;
  std::string cell_;
  size_t row_bytes_ = 0;
  bool is_row_bad_ = false;
};

}  // namespace lockstep::traces
