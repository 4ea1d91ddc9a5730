// Logs with one JSON object per line: W&B's history and system metrics, NCCL's inspector,
// torchrun's error files, and custom ones.
#include <array>
#include <span>

#include "ingest/logs/formats/formats.h"
#include "ingest/logs/formats/hugging_face.h"
#include "ingest/logs/json/json_line.h"
#include "ingest/logs/record/state_coding.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

constexpr std::array kJsonSources = {MetricSource::kGeneric, MetricSource::kLogged,
                                     MetricSource::kNvrx, MetricSource::kHuggingFace};
constexpr std::array kTrainerHistorySources = {MetricSource::kHuggingFace, MetricSource::kGeneric};
constexpr std::array kWandbHistorySources = {MetricSource::kLogged, MetricSource::kGeneric,
                                             MetricSource::kNvrx, MetricSource::kHuggingFace};
constexpr std::array kWandbEventSources = {MetricSource::kWandbEvents};
constexpr std::array kNcclSources = {MetricSource::kNcclInspector};

// The writer of the lines determines the kind of the records.
enum class JsonDialect : uint8_t { kAny, kTrainerHistory, kMeasurements, kErrors };

bool Has(std::string_view line, std::string_view key) { return line.find(key) != line.npos; }

class JsonLines final : public LogFormat {
 public:
  JsonLines(std::span<const MetricSource> sources, JsonDialect dialect)
      : reader_(sources), dialect_(dialect) {}

  LineVerdict Parse(const LogLine& line, RecordWriter& out) override {
    std::string_view text = line.text;
    TakeSpaces(text);
    if (text.empty()) return kIgnored;
    if (text.front() != '{') return Rejected("the line does not begin with '{'");
    const LineVerdict verdict = reader_.Read(line, text, out);
    if (verdict.fate != LineFate::kTaken) return verdict;
    return Emit(line, out);
  }

 private:
  LineVerdict Emit(const LogLine& line, RecordWriter& out) {
    if (dialect_ == JsonDialect::kErrors) {
      LogLine timed = line;
      timed.time_ms = out.time_ms();
      out.EmitEvent(timed, "crash", reader_.event_text());
      return kTaken;
    }
    if (out.values().empty() && !out.has_step()) {
      out.CountDropped();
      return kIgnored;
    }
    if (dialect_ == JsonDialect::kMeasurements || !out.has_step()) {
      out.set_kind(RecordKind::kMeasurement);
    } else if (dialect_ == JsonDialect::kTrainerHistory) {
      out.set_kind(KindOfHuggingFaceRecord(out.values()));
    }
    out.Emit();
    return kTaken;
  }

  JsonLineReader reader_;
  JsonDialect dialect_;
};

// Also handles a dumped log_history of a Hugging Face trainer, whose "train_loss" is the mean over
// the run.
class JsonLinesByFirst : public LogFormat {
 public:
  LineVerdict Parse(const LogLine& line, RecordWriter& out) override {
    if (lines_ == nullptr) {
      const bool is_trainer_history =
          Has(line.text, "\"epoch\"") && Has(line.text, "\"learning_rate\"") &&
          (Has(line.text, "\"loss\"") || Has(line.text, "\"eval_loss\""));
      if (line.text.find('{') == line.text.npos)
        return Rejected("the line does not begin with '{'");
      Begin(is_trainer_history);
    }
    return lines_->Parse(line, out);
  }

  bool AppendState(std::string& out) const override {
    PutVarint64(out, lines_ == nullptr ? 0 : is_trainer_history_ ? 1 : 2);
    return true;
  }
  bool LoadState(std::string_view& in, RecordWriter&) override {
    uint64_t lines = 0;
    if (!GetBelow(in, 3, lines)) return false;
    if (lines != 0) Begin(lines == 1);
    return true;
  }

 private:
  void Begin(bool is_trainer_history) {
    is_trainer_history_ = is_trainer_history;
    lines_ = is_trainer_history
                 ? std::make_unique<JsonLines>(kTrainerHistorySources, JsonDialect::kTrainerHistory)
                 : std::make_unique<JsonLines>(kJsonSources, JsonDialect::kAny);
  }

  bool is_trainer_history_ = false;
  std::unique_ptr<JsonLines> lines_;  // null before the first line
};

}  // namespace

std::unique_ptr<LogFormat> NewJsonLines() { return std::make_unique<JsonLinesByFirst>(); }
std::unique_ptr<LogFormat> NewWandbHistory() {
  return std::make_unique<JsonLines>(kWandbHistorySources, JsonDialect::kAny);
}
std::unique_ptr<LogFormat> NewWandbEvents() {
  return std::make_unique<JsonLines>(kWandbEventSources, JsonDialect::kMeasurements);
}
std::unique_ptr<LogFormat> NewNcclInspector() {
  return std::make_unique<JsonLines>(kNcclSources, JsonDialect::kMeasurements);
}
std::unique_ptr<LogFormat> NewTorchelasticError() {
  return std::make_unique<JsonLines>(std::span<const MetricSource>(), JsonDialect::kErrors);
}

bool IsJsonObject(std::string_view line) {
  TakeSpaces(line);
  return line.starts_with("{\"") && line.find(':') != line.npos;
}
bool IsWandbHistory(std::string_view line) {
  return IsJsonObject(line) && Has(line, "\"_step\"") && Has(line, "\"_timestamp\"");
}
bool IsWandbEvents(std::string_view line) {
  return IsJsonObject(line) && Has(line, "\"_timestamp\"") && Has(line, "\"system.");
}
bool IsNcclInspector(std::string_view line) {
  return IsJsonObject(line) && Has(line, "\"coll_perf\"");
}
bool IsTorchelasticError(std::string_view line) {
  return IsJsonObject(line) && Has(line, "\"message\"") && Has(line, "\"py_callstack\"");
}

}  // namespace lockstep::logs
