// The tables that `nsys stats --format csv`, `nsys analyze --format csv` and recipes' `--csv` make of a profile.
//
//   Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
//   2.0,96629668,3915,24681.9,24188.3,19745,46895,2961.8,"void f<(int)4, float>"
//
// A file may hold several tables, and lines of nsys's own between them. nsys_tables.h says which are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/traces/csv_rows.h"
#include "import/traces/located_rows.h"
#include "import/traces/nsys_tables.h"
#include "import/traces/trace_problems.h"
#include "import/traces/trace_record.h"

namespace lockstep::traces {

// For one thread and one file.
class NsysStatsReader {
 public:
  // The next bytes of the file, of any number; appends what they complete to `records`.
  void Feed(std::string_view bytes, std::vector<TraceRecord>& records);
  // The file ends here. Rows that have a start become records now.
  void Finish(std::vector<TraceRecord>& records);

  const TraceProblems& problems() const { return problems_; }
  uint64_t table_count() const { return table_count_; }
  uint64_t row_count() const { return row_count_; }  // that became records
  // Tables that are not read, each by the report that it is, if the file says that, and the heads of its columns:
  // "cuda_api_trace (Start (ns), Duration (ns), Name)".
  const std::vector<std::string>& unknown_tables() const { return unknown_tables_; }
  // After Finish().
  uint64_t merged_instances() const { return located_.merged_instances(); }

 private:
  struct RowReading;

  void TakeRow(const CsvRow& row, std::vector<TraceRecord>& records);
  void TakeHead(const CsvRow& row);
  void TakeSums(const CsvRow& row, std::vector<TraceRecord>& records);
  void TakeLocated(const CsvRow& row, std::vector<TraceRecord>& records);
  void TakeStep(const CsvRow& row, const LocatedRow& located, std::vector<TraceRecord>& records);

  TraceProblems problems_;
  CsvRows rows_{problems_};
  LocatedRows located_{problems_};
  std::optional<NsysTable> table_;
  bool is_in_table_ = false;  // of a table that is read, or of one that is not
  std::string report_;        // that nsys said comes next; "" is unknown
  std::vector<std::string> unknown_tables_;
  uint64_t table_count_ = 0;
  uint64_t row_count_ = 0;
};

}  // namespace lockstep::traces
