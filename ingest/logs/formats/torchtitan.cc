// torchtitan's log lines.
//
// Source: pytorch/torchtitan, torchtitan/components/metrics.py and torchtitan/tools/logging.py.
#include <array>
#include <string>

#include "ingest/logs/formats/formats.h"
#include "ingest/logs/text/line_time.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

constexpr std::array kTorchtitanSources = {MetricSource::kTorchtitan};

// "[titan] 2026-03-02 09:15:55,354 - root - INFO - "; the time may come first.
bool TakeTorchtitanHead(std::string_view& text, std::optional<int64_t>& time_ms,
                        int32_t utc_offset_s) {
  TakePrefix(text, "[titan] ");
  time_ms = TakeTime(text, utc_offset_s);
  if (!time_ms.has_value() || !TakePrefix(text, " - ")) return false;
  const size_t end = text.find(" - INFO - ");
  if (end == text.npos) return false;
  text.remove_prefix(end + sizeof(" - INFO - ") - 1);
  return true;
}

class Torchtitan : public LogFormat {
 public:
  Torchtitan() : keys_(kTorchtitanSources) {}

  LineVerdict Parse(const LogLine& line, RecordWriter& out) override {
    std::string_view text = line.text;
    std::optional<int64_t> time_ms;
    if (!TakeTorchtitanHead(text, time_ms, out.hints().utc_offset_s)) return kIgnored;
    const bool is_validation = TakePrefix(text, "validate ");
    if (!TakePrefix(text, "step:")) return kIgnored;
    out.Begin(line, is_validation ? RecordKind::kEvaluation : RecordKind::kStep);
    out.set_time_ms(*time_ms);
    TakeSpaces(text);
    const auto step = TakeInteger(text);
    if (!step.has_value()) return Rejected("no number after \"step:\"");
    out.set_step(*step);
    prefix_ = is_validation ? "validate " : "";
    for (TakeSpaces(text); !text.empty(); TakeSpaces(text)) {
      if (!TakeCell(text, out)) return Rejected("a cell that is not \"name: value\"");
    }
    out.Emit(RepeatedStep::kNewAttempt);
    return kTaken;
  }

 private:
  // "memory: 47.36GiB(59.75%)", "tps: 6,198", "mfu: N/A"
  bool TakeCell(std::string_view& text, RecordWriter& out) {
    const size_t colon = text.find(':');
    if (colon == text.npos) return false;
    const std::string_view name = text.substr(0, colon);
    text.remove_prefix(colon + 1);
    TakeSpaces(text);
    std::string_view value = text.substr(0, text.find(' '));
    text.remove_prefix(value.size());
    if (value == "N/A") return true;
    const auto number = TakeNumber(value);
    if (!number.has_value()) return false;
    const size_t unit_end = std::min(value.find('('), value.size());
    const double bytes = BytesOfUnit(value.substr(0, unit_end));
    AddValue(name, "", bytes == 0 ? *number : *number * bytes, out);
    value.remove_prefix(unit_end);
    if (TakePrefix(value, "(")) {
      if (const auto percent = TakeNumber(value)) AddValue(name, "(%)", *percent, out);
    }
    return true;
  }

  void AddValue(std::string_view name, std::string_view suffix, double value, RecordWriter& out) {
    written_.assign(prefix_).append(name).append(suffix);
    out.Add(keys_.Find(written_), value);
  }

  KeyCache keys_;
  std::string_view prefix_;
  std::string written_;  // reused
};

}  // namespace

std::unique_ptr<LogFormat> NewTorchtitan() { return std::make_unique<Torchtitan>(); }

bool IsTorchtitan(std::string_view line) {
  std::optional<int64_t> time_ms;
  const bool has_name = line.starts_with("[titan] ");
  return TakeTorchtitanHead(line, time_ms, 0) && (has_name || line.starts_with("step:"));
}

}  // namespace lockstep::logs
