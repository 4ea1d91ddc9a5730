#include "import/traces/nsys_stats.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "import/traces/kernel_class.h"
#include "import/traces/training_phase.h"

namespace lockstep::traces {
namespace {

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

struct HeadStat {
  std::string_view written;
  std::string_view stat;
};

constexpr HeadStat kStats[] = {
    {"Time", ""},   {"Total Time", "total"}, {"Total", "total"}, {"Avg", "avg"},
    {"Med", "med"}, {"Min", "min"},          {"Max", "max"},     {"StdDev", "stddev"},
};

constexpr std::string_view kCounts[] = {"Instances", "Count", "Num Calls"};

// By the column of names, and that of counts: what tells one report from another.
struct TableKind {
  std::string_view name_column;
  std::string_view count_column;
  std::string_view prefix;
};

constexpr TableKind kTables[] = {
    {"Name", "Instances", "nsys_kernel"},     // cuda_gpu_kern_sum
    {"Name", "Num Calls", "nsys_call"},       // cuda_api_sum, osrt_sum
    {"Range", "Instances", "nsys_range"},     // nvtx_sum
    {"Operation", "Count", "nsys_memory"},    // cuda_gpu_mem_time_sum, cuda_gpu_mem_size_sum
    {"Operation", "Instances", "nsys_work"},  // cuda_gpu_sum
};

bool Has(const std::vector<std::string>& cells, std::string_view head) {
  return std::find(cells.begin(), cells.end(), head) != cells.end();
}

// "Avg (ns)" to "Avg" and "ns".
std::pair<std::string_view, std::string_view> SplitHead(std::string_view head) {
  const size_t open = head.rfind(" (");
  if (open == head.npos || !head.ends_with(")")) return {head, ""};
  return {head.substr(0, open), head.substr(open + 2, head.size() - open - 3)};
}

// Digits may stand in groups: 1,932,550,323.
std::optional<double> ParseNumber(std::string cell) {
  std::erase(cell, ',');
  double value = 0;
  const char* const end = cell.data() + cell.size();
  const auto [after, error] = std::from_chars(cell.data(), end, value);
  if (cell.empty() || error != std::errc() || after != end) return std::nullopt;
  return value;
}

}  // namespace

void NsysStatsReader::Feed(std::string_view bytes, std::vector<TraceRecord>& records) {
  rows_.Append(bytes);
  while (const auto row = rows_.Next()) TakeRow(*row, records);
}

void NsysStatsReader::Finish(std::vector<TraceRecord>& records) {
  if (const auto row = rows_.Finish()) TakeRow(*row, records);
  if (table_count_ == 0) problems_.Count("no table of nsys in the file", 0);
}

NsysStatsReader::Column NsysStatsReader::ColumnOf(std::string_view head) {
  Column column;
  if (head == "Style" || head == "Category") {
    column.role = Column::Role::kLabel;
    column.label = head == "Style" ? "style" : "category";
    return column;
  }
  if (std::find(std::begin(kCounts), std::end(kCounts), head) != std::end(kCounts)) {
    column.role = Column::Role::kValue;
    column.quantity = "_count";
    column.unit = "count";
    return column;
  }
  const auto [name, written_unit] = SplitHead(head);
  for (const HeadUnit& unit : kUnits) {
    if (unit.written != written_unit) continue;
    for (const HeadStat& stat : kStats) {
      if (stat.written != name) continue;
      return {Column::Role::kValue, unit.quantity, unit.unit, unit.scale, stat.stat, ""};
    }
  }
  return column;
}

std::optional<NsysStatsReader::Table> NsysStatsReader::TableOf(
    const std::vector<std::string>& cells) {
  for (const TableKind& kind : kTables) {
    if (!Has(cells, kind.name_column) || !Has(cells, kind.count_column)) continue;
    Table table{kind.prefix, {}, 0};
    for (const std::string& head : cells) {
      Column column = ColumnOf(head);
      if (head == kind.name_column) {
        column.role = Column::Role::kName;
        table.name_column = table.columns.size();
      }
      table.columns.push_back(column);
    }
    return table;
  }
  return std::nullopt;
}

void NsysStatsReader::TakeRow(const CsvRow& row, std::vector<TraceRecord>& records) {
  if (row.cells.size() == 1) {
    // An empty line, or words of nsys: the table is over.
    table_.reset();
    return;
  }
  if (auto table = TableOf(row.cells)) {
    table_ = std::move(table);
    ++table_count_;
    return;
  }
  if (!table_.has_value()) return;
  if (row.cells.size() != table_->columns.size()) {
    return problems_.Count("row with another number of cells than its table", row.offset);
  }
  TakeNumbers(row, records);
}

std::vector<TraceLabel> NsysStatsReader::LabelsOf(const Table& table, const CsvRow& row) {
  std::string_view name = row.cells[table.name_column];
  std::vector<TraceLabel> labels;
  if (table.prefix == "nsys_kernel") {
    labels.push_back({"kernel", std::string(name)});
    labels.push_back({"class", std::string(NameOf(ClassOfKernel(name)))});
  } else if (table.prefix == "nsys_range") {
    // The domain stands before a colon; the default one has no name.
    if (name.starts_with(':')) name.remove_prefix(1);
    labels.push_back({"range", std::string(name)});
    const std::string_view phase = PhaseOfRange(name);
    if (!phase.empty()) labels.push_back({"phase", std::string(phase)});
  } else {
    labels.push_back({table.prefix == "nsys_call" ? "call" : "operation", std::string(name)});
  }
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (column.role == Column::Role::kLabel && !row.cells[i].empty()) {
      labels.push_back({std::string(column.label), row.cells[i]});
    }
  }
  return labels;
}

void NsysStatsReader::TakeNumbers(const CsvRow& row, std::vector<TraceRecord>& records) {
  const std::vector<TraceLabel> labels = LabelsOf(*table_, row);
  bool has_bad_number = false;
  bool has_number = false;
  for (size_t i = 0; i < table_->columns.size(); ++i) {
    const Column& column = table_->columns[i];
    if (column.role != Column::Role::kValue || row.cells[i].empty()) continue;
    const auto number = ParseNumber(row.cells[i]);
    if (!number.has_value()) {
      has_bad_number = true;
      continue;
    }
    TraceRecord record;
    record.metric = table_->prefix;
    record.metric += column.quantity;
    record.value = *number * column.scale;
    record.unit = column.unit;
    record.labels = labels;
    if (!column.stat.empty()) record.labels.push_back({"stat", std::string(column.stat)});
    records.push_back(std::move(record));
    has_number = true;
  }
  if (has_bad_number) problems_.Count("cell that is no number", row.offset);
  if (has_number) ++row_count_;
}

}  // namespace lockstep::traces
