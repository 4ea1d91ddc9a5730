// The tables that `nsys stats --format csv` prints of a profile: kernels, NVTX ranges, memory operations, API calls.
//
//   Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
//   2.0,96629668,3915,24681.9,24188.3,19745,46895,2961.8,"void f<(int)4, float>"
//
// Units stand in the heads of columns, and nsys can be told to use others. A file may hold several tables, and lines
// of nsys's own between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "import/traces/csv_rows.h"
#include "import/traces/trace_problems.h"
#include "import/traces/trace_record.h"

namespace lockstep::traces {

// For one thread and one file.
class NsysStatsReader {
 public:
  // The next bytes of the file, of any number; appends what they complete to `records`.
  void Feed(std::string_view bytes, std::vector<TraceRecord>& records);
  // The file ends here.
  void Finish(std::vector<TraceRecord>& records);

  const TraceProblems& problems() const { return problems_; }
  uint64_t table_count() const { return table_count_; }
  uint64_t row_count() const { return row_count_; }  // that became records

 private:
  // What a column's numbers are.
  struct Column {
    enum class Role : uint8_t { kNothing, kValue, kName, kLabel };
    Role role = Role::kNothing;
    std::string_view quantity;  // what follows the table's prefix: "_seconds"
    std::string_view unit;
    double scale = 1;
    std::string_view stat;  // "total", "avg", ...; "" where there is one number alone
    std::string_view label;
  };
  struct Table {
    std::string_view prefix;  // "nsys_kernel"
    std::vector<Column> columns;
    size_t name_column = 0;
  };

  static Column ColumnOf(std::string_view head);
  // Nothing if `cells` are not the head of a table.
  static std::optional<Table> TableOf(const std::vector<std::string>& cells);
  void TakeRow(const CsvRow& row, std::vector<TraceRecord>& records);
  void TakeNumbers(const CsvRow& row, std::vector<TraceRecord>& records);
  static std::vector<TraceLabel> LabelsOf(const Table& table, const CsvRow& row);

  TraceProblems problems_;
  CsvRows rows_{problems_};
  std::optional<Table> table_;
  uint64_t table_count_ = 0;
  uint64_t row_count_ = 0;
};

}  // namespace lockstep::traces
