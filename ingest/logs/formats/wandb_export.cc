// CSV exports of panels from W&B's web page: a row per step, and for each run and metric a value
// column followed by its minimum and maximum among grouped runs:
//
//   "Step","fine-sun-1 - loss","fine-sun-1 - loss__MIN","fine-sun-1 - loss__MAX"
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "ingest/logs/formats/formats.h"
#include "ingest/logs/record/record_fields.h"
#include "ingest/logs/record/state_coding.h"
#include "ingest/logs/text/csv_row.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

constexpr std::array kExportSources = {MetricSource::kLogged, MetricSource::kGeneric,
                                       MetricSource::kHuggingFace};
constexpr std::string_view kStepColumn = "Step";
constexpr std::string_view kBetweenRunAndMetric = " - ";

bool TakeEnd(std::string_view& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.remove_suffix(end.size());
  return true;
}

class WandbExport : public LogFormat {
 public:
  WandbExport() : keys_(kExportSources) {}

  LineVerdict Parse(const LogLine& line, RecordWriter& out) override {
    if (Trim(line.text).empty()) return kIgnored;
    if (IsWandbExport(line.text)) return ReadHeader(line.text);
    SplitCsvRow(line.text, cells_, unquoted_);
    if (header_.empty()) return Rejected("a row without a header");
    if (cells_.size() != column_count_)
      return Rejected("not the same number of cells as the header");
    const auto step = NumberOf(cells_.front());
    if (!step.has_value()) return Rejected("a step that is not a number");
    for (const Run& run : runs_) EmitRun(line, run, *step, out);
    return kTaken;
  }

  bool AppendState(std::string& out) const override {
    PutLengthPrefixed(out, header_);
    return true;
  }
  bool LoadState(std::string_view& in, RecordWriter&) override {
    std::string_view header;
    if (!GetLengthPrefixed(in, header)) return false;
    if (header.empty()) return true;
    if (!IsWandbExport(header)) return false;
    ReadHeader(header);
    return true;
  }

 private:
  struct Column {
    size_t cell;
    size_t value_cell;  // for a bound, the cell of its value
    const MetricKey* key;
  };
  struct Run {
    std::string name;
    std::vector<Column> columns;
  };

  LineVerdict ReadHeader(std::string_view line) {
    header_ = line;
    runs_.clear();
    SplitCsvRow(line, cells_, unquoted_);
    column_count_ = cells_.size();
    for (size_t i = 1; i < cells_.size(); ++i) {
      const size_t between = cells_[i].rfind(kBetweenRunAndMetric);
      AddColumn(cells_[i].substr(0, between),
                cells_[i].substr(between + kBetweenRunAndMetric.size()), i);
    }
    return kTaken;
  }

  void AddColumn(std::string_view run_name, std::string_view metric, size_t cell) {
    std::string bound;
    if (TakeEnd(metric, "__MIN")) bound = "_min";
    if (bound.empty() && TakeEnd(metric, "__MAX")) bound = "_max";
    auto run = std::ranges::find(runs_, run_name, &Run::name);
    if (run == runs_.end()) run = runs_.insert(runs_.end(), {std::string(run_name), {}});
    // A bound follows its value.
    const size_t value_cell = bound.empty() || run->columns.empty() ? cell : last_value_cell_;
    if (bound.empty()) last_value_cell_ = cell;
    const MetricKey* const key = keys_.Find(std::string(metric) + bound);
    // The first column already contains W&B's step count, or a better one.
    if (key == nullptr || key->role == KeyRole::kStep) return;
    run->columns.push_back({cell, value_cell, key});
  }

  void EmitRun(const LogLine& line, const Run& run, double step, RecordWriter& out) {
    out.Begin(line, RecordKind::kStep);
    fields_.Begin();
    out.set_step(static_cast<int64_t>(std::clamp(step, 0.0, 0x1p53)));
    out.set_run(run.name);
    for (const Column& column : run.columns) {
      const std::string_view text = cells_[column.cell];
      if (column.cell != column.value_cell && text == cells_[column.value_cell]) continue;
      if (const auto number = NumberOf(text)) fields_.TakeNumber(column.key, *number, out);
    }
    out.values().empty() ? out.CountDropped() : out.Emit();
  }

  KeyCache keys_;
  RecordFields fields_;
  std::string header_;  // the latest
  size_t column_count_ = 0;
  size_t last_value_cell_ = 0;
  std::vector<Run> runs_;
  // Reused across lines.
  std::vector<std::string_view> cells_;
  std::vector<std::string> unquoted_;
};

}  // namespace

std::unique_ptr<LogFormat> NewWandbExport() { return std::make_unique<WandbExport>(); }

bool IsWandbExport(std::string_view line) {
  std::string_view first = line;
  TakePrefix(first, "\"");
  if (!first.starts_with(kStepColumn) || line.size() >= kMaxLineBytes) return false;
  std::vector<std::string_view> cells;
  std::vector<std::string> unquoted;
  SplitCsvRow(line, cells, unquoted);
  const auto is_of_run = [](std::string_view cell) {
    const size_t between = cell.rfind(kBetweenRunAndMetric);
    return between != cell.npos && between > 0;
  };
  return cells.size() >= 2 && cells.front() == kStepColumn &&
         std::all_of(cells.begin() + 1, cells.end(), is_of_run);
}

}  // namespace lockstep::logs
