#include "import/traces/nsys/nsys_tables.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace lockstep::traces {
namespace {

using Role = NsysColumn::Role;

struct HeadUnit {
  std::string_view written;
  std::string_view quantity;
  std::string_view unit;
  double scale;
};

constexpr HeadUnit kUnits[] = {
    {"ns", "_seconds", "s", 1e-9},
    {"us", "_seconds", "s", 1e-6},
    {"\xce\xbcs", "_seconds", "s", 1e-6},
    {"ms", "_seconds", "s", 1e-3},
    {"s", "_seconds", "s", 1},
    {"%", "_time_ratio", "ratio", 0.01},
    {"B", "_bytes", "bytes", 1},
    {"KB", "_bytes", "bytes", 1e3},
    {"MB", "_bytes", "bytes", 1e6},
    {"GB", "_bytes", "bytes", 1e9},
    {"KiB", "_bytes", "bytes", 1024},
    {"MiB", "_bytes", "bytes", 1048576},
    {"GiB", "_bytes", "bytes", 1073741824},
};
constexpr const HeadUnit& kNanoseconds = kUnits[0];
constexpr const HeadUnit& kPercent = kUnits[5];
constexpr const HeadUnit& kBytes = kUnits[6];

struct TableKind {
  std::string_view report;
  std::string_view prefix;
  NsysRows rows;
  std::array<std::string_view, 4> heads;  // required headings, without units; "" if none
};

// The first table whose headings are all present wins: tables with more headings come before those
// with a subset.
constexpr TableKind kTables[] = {
    {"nvtx_kern_sum", "nsys_range_kernel", NsysRows::kSums, {"NVTX Range", "Kernel Name"}},
    {"cuda_kern_exec_sum", "nsys_launch", NsysRows::kSums, {"Kernel Name", "API Name", "QCount"}},
    {"nvtx_gpu_proj_sum", "nsys_range_gpu", NsysRows::kSums, {"Range", "Total Proj Time"}},
    {"nvtx_sum", "nsys_range", NsysRows::kSums, {"Range", "Instances", "Total Time"}},
    {"mpi_msg_size_sum", "nsys_mpi_message", NsysRows::kSums, {"Name", "Total Message Volume"}},
    {"mpi_event_sum", "nsys_mpi", NsysRows::kSums, {"Name", "Instances", "Total Time", "Source"}},
    {"cuda_gpu_kern_sum", "nsys_kernel", NsysRows::kSums, {"Name", "Instances", "Total Time"}},
    {"cuda_api_sum", "nsys_call", NsysRows::kSums, {"Name", "Num Calls", "Total Time"}},
    {"openmp_sum", "nsys_event", NsysRows::kSums, {"Name", "Count", "Total Time"}},
    {"cuda_gpu_mem_time_sum", "nsys_memory", NsysRows::kSums, {"Operation", "Count"}},
    {"cuda_gpu_sum", "nsys_work", NsysRows::kSums, {"Operation", "Instances"}},
    {"um_total_sum", "nsys_um", NsysRows::kSums, {"Total HtoD Migration Size"}},
    {"um_sum", "nsys_um_address", NsysRows::kSums, {"Virtual Address", "HtoD Migration Size"}},
    {"um_cpu_page_faults_sum",
     "nsys_um_instruction",
     NsysRows::kSums,
     {"CPU Instruction Address", "CPU Page Faults"}},
    {"cuda_memcpy_sync", "nsys_memcpy_hit", NsysRows::kHits, {"API Name", "Start", "Src Kind"}},
    {"cuda_memset_sync", "nsys_memset_hit", NsysRows::kHits, {"API Name", "Start", "Stream ID"}},
    {"cuda_api_sync", "nsys_sync_hit", NsysRows::kHits, {"API Name", "Start", "Duration", "TID"}},
    {"gpu_time_util", "nsys_gpu_low_use", NsysRows::kHits, {"In-Use", "Start", "Device ID"}},
    {"gpu_gaps", "nsys_gpu_gap", NsysRows::kHits, {"Duration", "Start", "Device ID"}},
    {"nvtx_gpu_proj_trace", "nsys_pace", NsysRows::kPaced, {"Name", "Projected Start"}},
    {"nvtx_pushpop_trace", "nsys_pace", NsysRows::kPaced, {"Name", "Start", "DurChild"}},
    {"cuda_gpu_trace", "nsys_pace", NsysRows::kPaced, {"Name", "Start", "Duration", "Strm"}},
};

struct HeadValue {
  std::string_view head;
  std::string_view quantity;  // "": the unit's
  std::string_view label;
  std::string_view label_value;
};

constexpr HeadValue kValues[] = {
    {"Time", "", "", ""},
    {"Total Time", "", "stat", "total"},
    {"Total", "", "stat", "total"},
    {"Avg", "", "stat", "avg"},
    {"Q1", "", "stat", "q1"},
    {"Med", "", "stat", "med"},
    {"Q3", "", "stat", "q3"},
    {"Min", "", "stat", "min"},
    {"Max", "", "stat", "max"},
    {"StdDev", "", "stat", "stddev"},
    {"Total Message Volume", "", "stat", "total"},
    {"Total Proj Time", "", "stat", "total"},
    {"Proj Avg", "", "stat", "avg"},
    {"Proj Med", "", "stat", "med"},
    {"Proj Min", "", "stat", "min"},
    {"Proj Max", "", "stat", "max"},
    {"Proj StdDev", "", "stat", "stddev"},
    {"Total Range Time", "_host_seconds", "stat", "total"},
    {"TAvg", "", "stat", "avg"},
    {"TMed", "", "stat", "med"},
    {"TMin", "", "stat", "min"},
    {"TMax", "", "stat", "max"},
    {"TStdDev", "", "stat", "stddev"},
    {"AAvg", "_call_seconds", "stat", "avg"},
    {"AMed", "_call_seconds", "stat", "med"},
    {"AMin", "_call_seconds", "stat", "min"},
    {"AMax", "_call_seconds", "stat", "max"},
    {"AStdDev", "_call_seconds", "stat", "stddev"},
    {"QAvg", "_queue_seconds", "stat", "avg"},
    {"QMed", "_queue_seconds", "stat", "med"},
    {"QMin", "_queue_seconds", "stat", "min"},
    {"QMax", "_queue_seconds", "stat", "max"},
    {"QStdDev", "_queue_seconds", "stat", "stddev"},
    {"KAvg", "_kernel_seconds", "stat", "avg"},
    {"KMed", "_kernel_seconds", "stat", "med"},
    {"KMin", "_kernel_seconds", "stat", "min"},
    {"KMax", "_kernel_seconds", "stat", "max"},
    {"KStdDev", "_kernel_seconds", "stat", "stddev"},
    {"Total HtoD Migration Size", "_migrated_bytes", "direction", "h2d"},
    {"Total DtoH Migration Size", "_migrated_bytes", "direction", "d2h"},
    {"HtoD Migration Size", "_migrated_bytes", "direction", "h2d"},
    {"DtoH Migration Size", "_migrated_bytes", "direction", "d2h"},
    {"Bytes", "", "", ""},
    {"In-Use", "_busy_ratio", "", ""},
};

constexpr HeadValue kCounts[] = {
    {"Instances", "_count", "", ""},
    {"Count", "_count", "", ""},
    {"Num Calls", "_count", "", ""},
    {"Range Instances", "_count", "", ""},
    {"Kern Inst", "_count", "", ""},
    {"QCount", "_queued_count", "", ""},
    {"Total GPU Ops", "_operations", "stat", "total"},
    {"Avg GPU Ops", "_operations", "stat", "avg"},
    {"Total CPU Page Faults", "_page_faults", "side", "host"},
    {"CPU Page Faults", "_page_faults", "side", "host"},
    {"Total GPU PageFaults", "_page_faults", "side", "device"},
    {"Total GPU Page Faults", "_page_faults", "side", "device"},
    {"GPU PageFaults", "_page_faults", "side", "device"},
    {"GPU Page Faults", "_page_faults", "side", "device"},
};

// If several columns identify a row, all become labels: rows of one kernel differ in thread or
// grid.
constexpr std::pair<std::string_view, std::string_view> kLabels[] = {
    {"Style", "style"},
    {"Category", "category"},
    {"Operation", "operation"},
    {"Range", "range"},
    {"NVTX Range", "range"},
    {"Kernel Name", "kernel"},
    {"API Name", "call"},
    {"Source", "source"},
    {"Src Kind", "source"},
    {"Dst Kind", "destination"},
    {"Memory Kind", "memory"},
    {"Device ID", "device"},
    {"DevId", "device"},
    {"TID", "thread"},
    {"GridXYZ", "grid"},
    {"BlockXYZ", "block"},
    {"Virtual Address", "address"},
    {"CPU Instruction Address", "address"},
};

// Splits "Avg (ns)" into "Avg" and "ns".
std::pair<std::string_view, std::string_view> SplitHead(std::string_view head) {
  const size_t open = head.rfind(" (");
  if (open == head.npos || !head.ends_with(")")) return {head, ""};
  return {head.substr(0, open), head.substr(open + 2, head.size() - open - 3)};
}

// `unwritten` is the unit of columns without one.
const HeadUnit* UnitOf(std::string_view written, std::string_view name, const HeadUnit& unwritten) {
  if (written.empty()) return name == "Time" ? &kPercent : &unwritten;
  const auto* const found =
      std::find_if(std::begin(kUnits), std::end(kUnits),
                   [&](const HeadUnit& unit) { return unit.written == written; });
  return found == std::end(kUnits) ? nullptr : found;
}

template <typename Rows>
const HeadValue* FindHead(const Rows& rows, std::string_view name) {
  for (const HeadValue& row : rows) {
    if (row.head == name) return &row;
  }
  return nullptr;
}

// The label for the column "Name".
std::string_view LabelOfName(const TableKind& kind) {
  if (kind.prefix == "nsys_kernel" || kind.report == "cuda_gpu_trace") return "kernel";
  if (kind.prefix == "nsys_call") return "call";
  return kind.rows == NsysRows::kPaced ? "range" : "event";
}

NsysColumn ValueColumn(const HeadValue& value, const HeadUnit& unit) {
  const std::string_view quantity = value.quantity.empty() ? unit.quantity : value.quantity;
  return {Role::kValue, quantity, unit.unit, unit.scale, value.label, value.label_value};
}

NsysColumn ColumnOf(std::string_view head, const TableKind& kind, const HeadUnit& unwritten) {
  const auto [name, written_unit] = SplitHead(head);
  if (name == "Rank") return {.role = Role::kRank};
  if (name == "Name") return {.role = Role::kLabel, .label = LabelOfName(kind)};
  const bool is_projected = kind.report == "nvtx_gpu_proj_trace";
  const HeadUnit* const unit = UnitOf(written_unit, name, unwritten);
  if (kind.rows != NsysRows::kSums && unit != nullptr) {
    if (name == (is_projected ? "Projected Start" : "Start")) {
      return {.role = Role::kStart, .scale = unit->scale};
    }
    if (name == (is_projected ? "Projected Duration" : "Duration")) {
      return {.role = Role::kDuration, .scale = unit->scale};
    }
  }
  // For recurring rows, only the name is a label.
  if (kind.rows == NsysRows::kPaced) return {};
  for (const auto& [written, label] : kLabels) {
    if (written == name) return {.role = Role::kLabel, .label = label};
  }
  if (const HeadValue* const count = FindHead(kCounts, name)) {
    return {Role::kValue, count->quantity, "count", 1, count->label, count->label_value};
  }
  const HeadValue* const value = FindHead(kValues, name);
  if (value == nullptr || unit == nullptr) return {};
  return ValueColumn(*value, *unit);
}

bool HasHead(std::span<const std::string> heads, std::string_view wanted) {
  return std::ranges::any_of(
      heads, [&](const std::string& head) { return SplitHead(head).first == wanted; });
}

bool HasHeads(const TableKind& kind, std::span<const std::string> heads) {
  return std::ranges::all_of(kind.heads, [&](std::string_view wanted) {
    return wanted.empty() || HasHead(heads, wanted);
  });
}

// The last text between `open` and `close`.
std::string_view LastBetween(std::string_view line, std::string_view open, std::string_view close) {
  const size_t end = line.rfind(close);
  if (end == line.npos) return "";
  const size_t begin = line.substr(0, end).rfind(open);
  return begin == line.npos ? "" : line.substr(begin + open.size(), end - begin - open.size());
}

}  // namespace

std::optional<NsysTable> NsysTableOf(std::span<const std::string> heads) {
  for (const TableKind& kind : kTables) {
    if (!HasHeads(kind, heads)) continue;
    NsysTable table{kind.report, kind.prefix, kind.rows, {}};
    const bool is_of_sizes = HasHead(heads, "Total") || HasHead(heads, "Total Message Volume");
    const HeadUnit& unwritten = is_of_sizes ? kBytes : kNanoseconds;
    for (const std::string& head : heads) table.columns.push_back(ColumnOf(head, kind, unwritten));
    return table;
  }
  return std::nullopt;
}

std::string_view NsysReportOf(std::string_view line) {
  if (line.find("Executing '") != line.npos) return LastBetween(line, "Executing '", "'");
  if (line.find(" ** ") != line.npos) return LastBetween(line, "(", "):");
  if (line.find("Processing [") == line.npos) return "";
  const std::string_view script = LastBetween(line, "[", ".py]");
  const size_t slash = script.rfind('/');
  return slash == script.npos ? script : script.substr(slash + 1);
}

}  // namespace lockstep::traces
