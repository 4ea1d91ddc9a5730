// Table rows with a start time relative to the begin of a recording. They are kept until all are
// read, because tables may be sorted by any column, and converted to records in order of time.
//
//   nsys_pace_instance{range="Optimizer Step"}        0      1      2        instance number
//   nsys_pace_start_seconds{...}                      0.21   0.43   0.66     since the begin
//   nsys_pace_seconds{...}                            0.02   0.02   0.03     duration
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_map.h"
#include "import/traces/records/trace_problems.h"
#include "import/traces/records/trace_record.h"

namespace lockstep::traces {

// The common properties of rows with the same name.
struct LocatedSeries {
  std::string_view prefix;  // of the metrics: "nsys_pace". Static storage.
  bool is_paced = false;    // recurring: has the first two of the metrics above
  std::vector<TraceLabel> labels;
};

// A value besides the duration.
struct LocatedValue {
  std::string_view quantity;  // "_bytes"; "" if none. Static storage.
  std::string_view unit;
  double value = 0;
};

struct LocatedRow {
  double start_seconds = 0;
  double seconds = 0;
  LocatedValue more;
};

// For one thread.
class LocatedRows {
 public:
  // `problems` must outlive this object.
  explicit LocatedRows(TraceProblems& problems) : problems_(problems) {}

  // `offset` is the row's offset in its file. Returns false and counts a problem if there is no
  // room for the row, or if its time is invalid.
  bool Add(const LocatedSeries& series, const LocatedRow& row, uint64_t offset);

  // Appends the records of each series in order of time, and clears the rows. Times are in
  // milliseconds: of recurring rows within one, only the first becomes a record, and the instance
  // numbers reveal the others; other rows are added up.
  void AppendRecords(std::vector<TraceRecord>& records);

  // Instances without a record, because another of their series began in the same millisecond.
  uint64_t merged_instances() const { return merged_instances_; }

 private:
  struct Row {
    uint32_t series;
    LocatedRow row;
  };

  TraceProblems& problems_;
  std::vector<LocatedSeries> series_;
  StringMap<uint32_t> series_index_;  // by prefix and labels
  std::vector<Row> rows_;
  uint64_t merged_instances_ = 0;
};

}  // namespace lockstep::traces
