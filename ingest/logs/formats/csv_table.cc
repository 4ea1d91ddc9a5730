// CSV tables with a header: Lightning's CSVLogger, DeepSpeed's monitor, and others.
//
// Source: Lightning-AI/pytorch-lightning, lightning/fabric/loggers/csv_logs.py;
// deepspeedai/DeepSpeed, deepspeed/monitor/csv_monitor.py.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "ingest/logs/formats/formats.h"
#include "ingest/logs/record/metric_catalogue.h"
#include "ingest/logs/record/record_fields.h"
#include "ingest/logs/record/state_coding.h"
#include "ingest/logs/text/csv_row.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

constexpr std::array kCsvSources = {MetricSource::kLogged, MetricSource::kGeneric,
                                    MetricSource::kHuggingFace};

// Whether a column identifies the row: a step or a time.
bool IsAxis(std::string_view column) {
  const auto meaning = MeaningOfKey(Trim(column));
  return meaning.has_value() &&
         (meaning->role == KeyRole::kStep || meaning->role == KeyRole::kTime);
}

std::vector<std::string_view> Columns(std::string_view line, std::vector<std::string>& unquoted) {
  std::vector<std::string_view> cells;
  if (line.size() < kMaxLineBytes) SplitCsvRow(line, cells, unquoted);
  return cells;
}

class CsvTable : public LogFormat {
 public:
  enum class StepColumn : uint8_t { kSteps, kSamples };

  CsvTable(std::string_view name_prefix, StepColumn step_column)
      : keys_(kCsvSources), name_prefix_(name_prefix), step_column_(step_column) {}

  LineVerdict Parse(const LogLine& line, RecordWriter& out) override {
    if (Trim(line.text).empty()) return kIgnored;
    SplitCsvRow(line.text, cells_, unquoted_);
    if (IsHeader()) return ReadHeader();
    if (columns_.empty()) return Rejected("a row before a header with a step or a time");
    if (cells_.size() != columns_.size())
      return Rejected("not the same number of cells as the header");
    out.Begin(line, RecordKind::kStep);
    fields_.Begin();
    for (size_t i = 0; i < cells_.size(); ++i) {
      if (!TakeCell(columns_[i], cells_[i], out)) return Rejected("a step that is not a number");
    }
    if (!out.has_step() && step_column_ == StepColumn::kSteps) {
      out.set_kind(RecordKind::kMeasurement);
    }
    out.Emit();
    return kTaken;
  }

  bool AppendState(std::string& out) const override {
    PutVarint64(out, columns_.size());
    if (columns_.empty()) return true;
    PutVarint64(out, axis_);
    for (const MetricKey* key : columns_)
      PutLengthPrefixed(out, key == nullptr ? "" : key->written);
    return true;
  }
  bool LoadState(std::string_view& in, RecordWriter&) override {
    uint64_t count = 0;
    if (!GetBelow(in, kMaxLineBytes, count)) return false;
    if (count == 0) return true;
    if (!GetBelow(in, count, axis_)) return false;
    for (uint64_t i = 0; i < count; ++i) {
      std::string_view written;
      if (!GetLengthPrefixed(in, written)) return false;
      columns_.push_back(written.empty() ? nullptr : keys_.Find(written));
    }
    return true;
  }

 private:
  // Files that are rewritten with a new column repeat their header: the step's cell then holds its
  // name.
  bool IsHeader() const {
    if (axis_ < cells_.size() && IsNumberStart(cells_[axis_])) return false;
    return std::ranges::any_of(cells_, IsAxis);
  }

  static bool IsNumberStart(std::string_view cell) {
    return !cell.empty() && IsDigit(cell.front());
  }

  LineVerdict ReadHeader() {
    columns_.clear();
    const auto axis = std::ranges::find_if(cells_, IsAxis);
    axis_ = static_cast<size_t>(axis - cells_.begin());
    for (const std::string_view cell : cells_) {
      const std::string_view name = Trim(cell);
      written_.assign(IsAxis(name) ? "" : name_prefix_).append(name);
      columns_.push_back(keys_.Find(written_));
    }
    return kTaken;
  }

  bool TakeCell(const MetricKey* key, std::string_view cell, RecordWriter& out) {
    if (cell.empty()) return true;
    std::string_view rest = Trim(cell);
    const auto number = TakeNumber(rest);
    if (!number.has_value() || !rest.empty()) {
      if (key != nullptr) fields_.TakeText(key, cell, out);
      return key == nullptr || key->role != KeyRole::kStep;
    }
    if (key != nullptr && key->role == KeyRole::kStep && step_column_ == StepColumn::kSamples) {
      out.set_samples(static_cast<int64_t>(std::clamp(*number, 0.0, 1e18)));
    } else {
      fields_.TakeNumber(key, *number, out);
    }
    return true;
  }

  KeyCache keys_;
  std::string_view name_prefix_;
  StepColumn step_column_;
  RecordFields fields_;
  std::vector<const MetricKey*> columns_;
  size_t axis_ = std::string_view::npos;  // the first step or time column
  // Reused across lines.
  std::vector<std::string_view> cells_;
  std::vector<std::string> unquoted_;
  std::string written_;
};

}  // namespace

std::unique_ptr<LogFormat> NewCsv() {
  return std::make_unique<CsvTable>("", CsvTable::StepColumn::kSteps);
}
std::unique_ptr<LogFormat> NewDeepspeedCsv() {
  return std::make_unique<CsvTable>("Train/Samples/", CsvTable::StepColumn::kSamples);
}

bool IsLightningHeader(std::string_view line) {
  std::vector<std::string> unquoted;
  const auto columns = Columns(line, unquoted);
  return columns.size() >= 2 && std::ranges::count(columns, "epoch") == 1 &&
         std::ranges::count(columns, "step") == 1;
}

bool IsCsvHeader(std::string_view line) {
  std::vector<std::string> unquoted;
  const auto columns = Columns(line, unquoted);
  const auto is_name = [](std::string_view cell) {
    return !cell.empty() && cell.size() <= kMaxKeyBytes && !NumberOf(cell).has_value() &&
           cell.find_first_of("{}:|") == cell.npos;
  };
  return columns.size() >= 2 && std::ranges::all_of(columns, is_name) &&
         std::ranges::any_of(columns, IsAxis);
}

}  // namespace lockstep::logs
