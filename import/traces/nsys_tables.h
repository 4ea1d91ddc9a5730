// The reports of nsys, told by the heads of their columns, and what each column is. Pure functions.
//
// Heads have the unit of their numbers: "Avg (ns)". nsys can be told to use others; the tables of its recipes have none,
// and are in nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::traces {

// What a row says.
enum class NsysRows : uint8_t {
  kSums,   // of all that has a name, over the profile
  kHits,   // something that a rule found, when it happened and how long it took
  kPaced,  // a range or a kernel each time that it ran
};

struct NsysColumn {
  enum class Role : uint8_t { kNothing, kValue, kLabel, kStart, kDuration, kRank };
  Role role = Role::kNothing;
  std::string_view quantity = {};  // of a value: what follows the table's prefix, "_seconds"
  std::string_view unit = {};
  double scale = 1;
  std::string_view label =
      {};  // of a label: its name; of a value that which tells it from others of its quantity
  std::string_view label_value = {};
};

struct NsysTable {
  std::string_view report;  // "cuda_gpu_kern_sum", or another that looks the same
  std::string_view prefix;  // of its metrics: "nsys_kernel"
  NsysRows rows = NsysRows::kSums;
  std::vector<NsysColumn> columns;
};

// Nothing if `heads` are those of no report that is read.
std::optional<NsysTable> NsysTableOf(std::span<const std::string> heads);

// The report that a line of nsys's own names: "Processing [a.sqlite] with [reports/um_sum.py]...",
// " ** GPU Gaps (gpu_gaps):", "[5/8] Executing 'osrt_sum' stats report". "" for another line.
std::string_view NsysReportOf(std::string_view line);

}  // namespace lockstep::traces
