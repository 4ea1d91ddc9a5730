#include "import/traces/nsys/nsys_stats.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "import/traces/kinds/kernel_class.h"
#include "import/traces/kinds/training_phase.h"
#include "import/traces/records/trace_limits.h"

namespace lockstep::traces {
namespace {

using Role = NsysColumn::Role;

// Digits may be grouped: 1,932,550,323.
std::optional<double> ParseNumber(std::string cell) {
  std::erase(cell, ',');
  double value = 0;
  const char* const end = cell.data() + cell.size();
  const auto [after, error] = std::from_chars(cell.data(), end, value);
  if (cell.empty() || error != std::errc() || after != end) return std::nullopt;
  return value;
}

// Adds labels for a name and what it implies.
void AppendNameLabels(std::string_view label, std::string_view name,
                      std::vector<TraceLabel>& labels) {
  if (label == "range" && name.starts_with(':')) {
    // The domain is before a colon; the default domain has no name.
    name.remove_prefix(1);
  }
  labels.push_back({std::string(label), std::string(name)});
  if (label == "kernel") {
    labels.push_back({"class", std::string(NameOf(ClassOfKernel(name)))});
  } else if (label == "range") {
    const std::string_view phase = PhaseOfRange(name);
    if (!phase.empty()) labels.push_back({"phase", std::string(phase)});
  }
}

std::vector<TraceLabel> LabelsOfRow(const NsysTable& table, const CsvRow& row) {
  std::vector<TraceLabel> labels;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const NsysColumn& column = table.columns[i];
    if (column.role != Role::kLabel || row.cells[i].empty()) continue;
    std::string_view name = row.cells[i];
    // Steps are instances of one range.
    const auto step = NumberedStepOf(name);
    if (table.rows == NsysRows::kPaced && step.has_value()) name = step->name;
    AppendNameLabels(column.label, name, labels);
  }
  if (table.rows == NsysRows::kPaced && !labels.empty() && labels.front().name == "range") {
    const bool is_device = table.report == "nvtx_gpu_proj_trace";
    labels.push_back({"side", is_device ? "device" : "host"});
  }
  return labels;
}

bool IsNumber(const std::string& cell) { return ParseNumber(cell).has_value(); }

std::string Joined(const std::vector<std::string>& cells) {
  std::string text;
  for (const std::string& cell : cells) {
    if (!text.empty()) text += ", ";
    text += cell;
  }
  return text.substr(0, kMaxUnknownTableBytes);
}

}  // namespace

// The parsed numbers of a row, and whether one is invalid.
struct NsysStatsReader::RowReading {
  const CsvRow& row;
  bool has_bad_number = false;

  std::optional<double> NumberAt(size_t i, const NsysColumn& column) {
    if (row.cells[i].empty()) return std::nullopt;
    const auto number = ParseNumber(row.cells[i]);
    if (!number.has_value()) {
      has_bad_number = true;
      return std::nullopt;
    }
    return *number * column.scale;
  }
};

void NsysStatsReader::Feed(std::string_view bytes, std::vector<TraceRecord>& records) {
  rows_.Append(bytes);
  while (const auto row = rows_.Next()) TakeRow(*row, records);
}

void NsysStatsReader::Finish(std::vector<TraceRecord>& records) {
  if (const auto row = rows_.Finish()) TakeRow(*row, records);
  located_.AppendRecords(records);
  if (table_count_ == 0) problems_.Count("no supported nsys table in the file", 0);
}

void NsysStatsReader::TakeHead(const CsvRow& row) {
  table_ = NsysTableOf(row.cells);
  is_in_table_ = true;
  if (table_.has_value()) {
    ++table_count_;
  } else if (unknown_tables_.size() < kMaxUnknownTables) {
    unknown_tables_.push_back((report_.empty() ? "table" : report_) + " (" + Joined(row.cells) +
                              ")");
  }
  report_.clear();
}

void NsysStatsReader::TakeRow(const CsvRow& row, std::vector<TraceRecord>& records) {
  // Headings contain no numbers, rows at least one.
  const bool is_head = row.cells.size() > 1 && std::ranges::none_of(row.cells, IsNumber);
  if (is_head && (!is_in_table_ || NsysTableOf(row.cells).has_value())) return TakeHead(row);
  if (row.cells.size() == 1) {
    // An empty line, or text from nsys, ends the table.
    table_.reset();
    is_in_table_ = false;
    const std::string_view report = NsysReportOf(row.cells.front());
    if (!report.empty()) report_ = report;
    return;
  }
  if (!table_.has_value()) return;
  if (row.cells.size() != table_->columns.size()) {
    return problems_.Count("row with another number of cells than its table", row.offset);
  }
  if (table_->rows == NsysRows::kSums) return TakeSums(row, records);
  TakeLocated(row, records);
}

void NsysStatsReader::TakeSums(const CsvRow& row, std::vector<TraceRecord>& records) {
  RowReading reading{row};
  const std::vector<TraceLabel> labels = LabelsOfRow(*table_, row);
  const size_t first = records.size();
  std::optional<int32_t> rank;
  for (size_t i = 0; i < table_->columns.size(); ++i) {
    const NsysColumn& column = table_->columns[i];
    if (column.role != Role::kValue && column.role != Role::kRank) continue;
    const auto number = reading.NumberAt(i, column);
    if (!number.has_value()) continue;
    if (column.role == Role::kRank) {
      if (*number >= 0 && *number <= kMaxRank) rank = static_cast<int32_t>(*number);
      continue;
    }
    TraceRecord record;
    record.metric = table_->prefix;
    record.metric += column.quantity;
    record.value = *number;
    record.unit = column.unit;
    record.labels = labels;
    if (!column.label.empty()) {
      record.labels.push_back({std::string(column.label), std::string(column.label_value)});
    }
    records.push_back(std::move(record));
  }
  for (size_t i = first; i < records.size(); ++i) records[i].rank = rank;
  if (reading.has_bad_number) problems_.Count("cell that is not a number", row.offset);
  if (records.size() > first) ++row_count_;
}

// A training step's range on the host becomes a record at its end.
void NsysStatsReader::TakeStep(const CsvRow& row, const LocatedRow& located,
                               std::vector<TraceRecord>& records) {
  for (size_t i = 0; i < table_->columns.size(); ++i) {
    if (table_->columns[i].label != "range") continue;
    const auto step = NumberedStepOf(row.cells[i]);
    if (!step.has_value()) return;
    TraceRecord record;
    record.metric = "train_step_time_seconds";
    record.written = row.cells[i];
    record.value = located.seconds;
    record.unit = "s";
    record.step = step->number;
    record.since_begin_ms = std::llround((located.start_seconds + located.seconds) * 1000);
    records.push_back(std::move(record));
    return;
  }
}

void NsysStatsReader::TakeLocated(const CsvRow& row, std::vector<TraceRecord>& records) {
  RowReading reading{row};
  LocatedRow located;
  bool has_start = false;
  for (size_t i = 0; i < table_->columns.size(); ++i) {
    const NsysColumn& column = table_->columns[i];
    if (column.role == Role::kNothing || column.role == Role::kLabel) continue;
    const auto number = reading.NumberAt(i, column);
    if (!number.has_value()) continue;
    if (column.role == Role::kStart) {
      located.start_seconds = *number;
      has_start = true;
    } else if (column.role == Role::kDuration) {
      located.seconds = *number;
    } else if (column.role == Role::kValue) {
      located.more = {column.quantity, column.unit, *number};
    }
  }
  if (reading.has_bad_number) return problems_.Count("cell that is not a number", row.offset);
  // A range without device work has no position there.
  if (!has_start) return;
  ++row_count_;
  const LocatedSeries series{table_->prefix, table_->rows == NsysRows::kPaced,
                             LabelsOfRow(*table_, row)};
  const bool is_kept = located_.Add(series, located, row.offset);
  if (is_kept && table_->report == "nvtx_pushpop_trace") TakeStep(row, located, records);
}

}  // namespace lockstep::traces
