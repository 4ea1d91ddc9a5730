// Reads the tables written by `nsys stats --format csv`, `nsys analyze --format csv` and recipes
// with `--csv`.
//
//   Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
//   2.0,96629668,3915,24681.9,24188.3,19745,46895,2961.8,"void f<(int)4, float>"
//
// A file may contain several tables, with other nsys output in between. nsys_tables.h lists the
// supported ones.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/traces/nsys/csv_rows.h"
#include "import/traces/nsys/located_rows.h"
#include "import/traces/nsys/nsys_tables.h"
#include "import/traces/records/trace_problems.h"
#include "import/traces/records/trace_record.h"

namespace lockstep::traces {

// For one thread and one file.
class NsysStatsReader {
 public:
  // Adds the next bytes of the file; appends completed records to `records`.
  void Feed(std::string_view bytes, std::vector<TraceRecord>& records);
  // Call at the end of the file. Rows with a start become records now.
  void Finish(std::vector<TraceRecord>& records);

  const TraceProblems& problems() const { return problems_; }
  uint64_t table_count() const { return table_count_; }
  uint64_t row_count() const { return row_count_; }  // rows that became records
  // Unsupported tables, each by its report, if the file names it, and its column headings:
  // "cuda_api_trace (Start (ns), Duration (ns), Name)".
  const std::vector<std::string>& unknown_tables() const { return unknown_tables_; }
  // Valid after Finish().
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
  bool is_in_table_ = false;  // in a table, supported or not
  std::string report_;        // next report announced by nsys; "" if unknown
  std::vector<std::string> unknown_tables_;
  uint64_t table_count_ = 0;
  uint64_t row_count_ = 0;
};

}  // namespace lockstep::traces
