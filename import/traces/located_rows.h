// Rows of a table that say when something happened, counted from the begin of a recording: kept until all are there, since
// tables are sorted by anything, and made records in order of time.
//
//   nsys_pace_instance{range="Optimizer Step"}        0      1      2        which one it is
//   nsys_pace_start_seconds{...}                      0.21   0.43   0.66     since the begin of the recording
//   nsys_pace_seconds{...}                            0.02   0.02   0.03     how long it took
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_map.h"
#include "import/traces/trace_problems.h"
#include "import/traces/trace_record.h"

namespace lockstep::traces {

// What rows of one name have in common.
struct LocatedSeries {
  std::string_view prefix;  // of the metrics: "nsys_pace". Lives forever.
  bool is_paced = false;    // runs again and again: has the first two metrics of the three above
  std::vector<TraceLabel> labels;
};

// A number beside the duration.
struct LocatedValue {
  std::string_view quantity;  // "_bytes"; "" is none. Lives forever.
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
  // `problems` outlives it.
  explicit LocatedRows(TraceProblems& problems) : problems_(problems) {}

  // `offset` is that of the row in its file. False, and a problem, if there is no room for it, or no place.
  bool Add(const LocatedSeries& series, const LocatedRow& row, uint64_t offset);

  // Of one series in order of time. Times are told in milliseconds: of what is paced the first of a millisecond counts,
  // and the numbers of instances say what was left out; of others the rows of one are added up. Empties it.
  void AppendRecords(std::vector<TraceRecord>& records);

  // Instances that are no records since another of their series began in the same millisecond.
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
