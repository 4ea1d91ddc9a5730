// Identifies nsys reports by their column headings, and each column's meaning. Pure functions.
//
// Headings contain the unit of their numbers: "Avg (ns)". nsys can be told to use others; tables of
// its recipes have no unit and are in nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::traces {

// The kind of a table's rows.
enum class NsysRows : uint8_t {
  kSums,   // totals per name over the profile
  kHits,   // a rule's finding, with time and duration
  kPaced,  // each run of a range or a kernel
};

struct NsysColumn {
  enum class Role : uint8_t { kNothing, kValue, kLabel, kStart, kDuration, kRank };
  Role role = Role::kNothing;
  std::string_view quantity = {};  // for values: the suffix after the table's prefix, "_seconds"
  std::string_view unit = {};
  double scale = 1;
  std::string_view label =
      {};  // for labels: the name; for values: the label that distinguishes the quantity's values
  std::string_view label_value = {};
};

struct NsysTable {
  std::string_view report;  // "cuda_gpu_kern_sum", or a report with the same columns
  std::string_view prefix;  // of its metrics: "nsys_kernel"
  NsysRows rows = NsysRows::kSums;
  std::vector<NsysColumn> columns;
};

// Nothing if `heads` belong to no supported report.
std::optional<NsysTable> NsysTableOf(std::span<const std::string> heads);

// The report announced by a line of nsys's output: "Processing [a.sqlite] with
// [reports/um_sum.py]...", " ** GPU Gaps (gpu_gaps):", "[5/8] Executing 'osrt_sum' stats report".
// "" for other lines.
std::string_view NsysReportOf(std::string_view line);

}  // namespace lockstep::traces
