// Megatron-LM's standard output: iteration lines, timers, memory, and the straggler report.
//
// Source: NVIDIA/Megatron-LM, megatron/training/training.py (training_log),
// megatron/core/timers.py, megatron/core/utils.py (StragglerDetector).
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "ingest/logs/formats/formats.h"
#include "ingest/logs/record/log_format.h"
#include "ingest/logs/record/state_coding.h"
#include "ingest/logs/text/line_time.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

// The timers that Megatron-LM prints below an iteration: for all ranks, minimum and maximum, or
// only the maximum.
class MegatronTimers {
 public:
  MegatronTimers();

  // Parses lines of a section: its heading, a timer's name, a rank's time.
  LineVerdict Parse(const LogLine& line, RecordWriter& out);
  // Ends the section at any other line.
  void End() { section_ = Section::kNone; }

  void AppendState(std::string& out) const;
  [[nodiscard]] bool LoadState(std::string_view& in);

 private:
  enum class Section : uint8_t { kNone, kAllRanks, kLowestAndHighest, kHighest };

  LineVerdict ParseRank(const LogLine& line, std::string_view text, RecordWriter& out);
  LineVerdict ParseSummary(const LogLine& line, std::string_view text, RecordWriter& out);
  void Add(std::string_view timer, std::string_view aggregate, double value, RecordWriter& out);

  KeyCache keys_;
  Section section_ = Section::kNone;
  std::string timer_;    // the timer whose ranks follow
  std::string written_;  // reused
};

constexpr std::array kTimerSources = {MetricSource::kMegatronTimers};

MegatronTimers::MegatronTimers() : keys_(kTimerSources) {}

LineVerdict MegatronTimers::Parse(const LogLine& line, RecordWriter& out) {
  std::string_view text = line.text;
  if (text.starts_with("times across ranks (ms):")) {
    section_ = Section::kAllRanks;
    return kTaken;
  }
  if (text.starts_with("(min, max) time across ranks (ms):")) {
    section_ = Section::kLowestAndHighest;
    return kTaken;
  }
  if (text.starts_with("max time across ranks (ms):")) {
    section_ = Section::kHighest;
    return kTaken;
  }
  if (section_ == Section::kNone) return kIgnored;
  if (!text.starts_with("  ")) {
    End();
    return kIgnored;
  }
  text = Trim(text);
  if (section_ != Section::kAllRanks) return ParseSummary(line, text, out);
  if (text.starts_with("rank ")) return ParseRank(line, text, out);
  if (!text.ends_with(':')) return Rejected("neither a timer nor a rank's time");
  timer_ = text.substr(0, text.size() - 1);
  return kTaken;
}

// "rank 11: 6959.40"
LineVerdict MegatronTimers::ParseRank(const LogLine& line, std::string_view text,
                                      RecordWriter& out) {
  TakePrefix(text, "rank ");
  TakeSpaces(text);
  const auto rank = TakeRank(text);
  if (!rank.has_value() || !TakePrefix(text, ":")) {
    return Rejected("no rank before a timer's value");
  }
  const auto value = NumberOf(text);
  if (!value.has_value()) return Rejected("a timer's value is not a number");
  out.Begin(line, RecordKind::kStep);
  out.set_rank(*rank);
  out.Add(keys_.Find(timer_), *value);
  out.EmitContinuation();
  return kTaken;
}

// "forward-compute ....: (1938.90, 2282.01)", "forward-compute ....: 1961.54"
LineVerdict MegatronTimers::ParseSummary(const LogLine& line, std::string_view text,
                                         RecordWriter& out) {
  const size_t colon = text.rfind(':');
  if (colon == text.npos) return Rejected("no ':' after a timer's name");
  std::string_view timer = text.substr(0, colon);
  while (timer.ends_with('.')) timer.remove_suffix(1);
  std::string_view numbers = Trim(text.substr(colon + 1));
  out.Begin(line, RecordKind::kStep);
  if (section_ == Section::kHighest) {
    const auto highest = NumberOf(numbers);
    if (!highest.has_value()) return Rejected("a timer's value is not a number");
    Add(Trim(timer), "max", *highest, out);
  } else {
    const bool has_bracket = TakePrefix(numbers, "(");
    const auto lowest = TakeNumber(numbers);
    const bool has_comma = TakePrefix(numbers, ", ");
    const auto highest = TakeNumber(numbers);
    if (!has_bracket || !lowest.has_value() || !has_comma || !highest.has_value() ||
        numbers != ")") {
      return Rejected("a timer's value is not \"(lowest, highest)\"");
    }
    Add(Trim(timer), "min", *lowest, out);
    Add(Trim(timer), "max", *highest, out);
  }
  out.EmitContinuation();
  return kTaken;
}

void MegatronTimers::Add(std::string_view timer, std::string_view aggregate, double value,
                         RecordWriter& out) {
  written_.assign(timer).append(" (").append(aggregate).append(")");
  out.Add(keys_.Find(written_), value);
}

void MegatronTimers::AppendState(std::string& out) const {
  PutVarint64(out, static_cast<uint64_t>(section_));
  PutLengthPrefixed(out, timer_);
}

bool MegatronTimers::LoadState(std::string_view& in) {
  std::string_view timer;
  if (!GetBelow(in, static_cast<uint64_t>(Section::kHighest) + 1, section_) ||
      !GetLengthPrefixed(in, timer)) {
    return false;
  }
  timer_ = timer;
  return true;
}

constexpr std::array kMegatronSources = {MetricSource::kMegatron};

// " [2026-03-02 09:15:48.730498]", which older versions omit, and "iteration".
bool TakeIterationStart(std::string_view& text, std::optional<int64_t>& time_ms,
                        int32_t utc_offset_s) {
  TakeSpaces(text);
  if (TakePrefix(text, "[")) {
    time_ms = TakeTime(text, utc_offset_s);
    if (!time_ms.has_value() || !TakePrefix(text, "]")) return false;
    TakeSpaces(text);
  }
  return TakePrefix(text, "iteration ");
}

class Megatron : public LogFormat {
 public:
  Megatron() : keys_(kMegatronSources) {}

  LineVerdict Parse(const LogLine& line, RecordWriter& out) override {
    std::string_view text = line.text;
    std::optional<int64_t> time_ms;
    if (TakeIterationStart(text, time_ms, out.hints().utc_offset_s)) {
      timers_.End();
      out.Begin(line, RecordKind::kStep);
      if (time_ms.has_value()) out.set_time_ms(*time_ms);
      return ParseIteration(text, out);
    }
    const LineVerdict timer = timers_.Parse(line, out);
    if (timer.fate != LineFate::kIgnored) return timer;
    if (line.text.starts_with("[Rank ")) return ParseMemory(line, out);
    if (line.text.starts_with("^^^^ ")) return ParseExtremes(line, out);
    if (IsMegatronStragglerReport(line.text)) return ParseStragglerReport(line, out);
    return kIgnored;
  }

  bool AppendState(std::string& out) const override {
    timers_.AppendState(out);
    return true;
  }
  bool LoadState(std::string_view& in, RecordWriter&) override { return timers_.LoadState(in); }

 private:
  // "       60/     500 | consumed samples:         7680 | ... |"
  LineVerdict ParseIteration(std::string_view text, RecordWriter& out) {
    TakeSpaces(text);
    const auto step = TakeInteger(text);
    const size_t begin = text.find('|');
    if (!step.has_value() || !text.starts_with('/') || begin == text.npos) {
      return Rejected("no step after \"iteration\"");
    }
    out.set_step(*step);
    text.remove_prefix(begin + 1);
    while (true) {
      const size_t end = text.find('|');
      if (end == text.npos) break;
      AddCell(text.substr(0, end), out);
      text.remove_prefix(end + 1);
    }
    if (!Trim(text).empty()) return Rejected("the line ends before its last '|'");
    out.Emit(RepeatedStep::kNewAttempt);
    return kTaken;
  }

  // " lm loss: 4.408391E+00 "
  void AddCell(std::string_view cell, RecordWriter& out) {
    const size_t colon = cell.rfind(':');
    if (colon == cell.npos) return;
    std::string_view number = cell.substr(colon + 1);
    TakeSpaces(number);
    const auto value = TakeNumber(number);
    if (value.has_value()) out.Add(keys_.Find(Trim(cell.substr(0, colon))), *value);
  }

  // "[Rank 15] (after 1 iterations) memory (MB) | allocated: 30121.55 | max allocated: 61233.91"
  LineVerdict ParseMemory(const LogLine& line, RecordWriter& out) {
    std::string_view text = line.text.substr(sizeof("[Rank ") - 1);
    const auto rank = TakeRank(text);
    const size_t cells = text.find("memory (MB) |");
    if (!rank.has_value() || cells == text.npos) return kIgnored;
    text.remove_prefix(text.find('|') + 1);
    out.Begin(line, RecordKind::kStep);
    out.set_rank(*rank);
    while (!text.empty()) {
      const size_t end = std::min(text.find('|'), text.size());
      AddCell(text.substr(0, end), out);
      text.remove_prefix(std::min(text.size(), end + 1));
    }
    out.EmitContinuation();
    return kTaken;
  }

  // "[2026-03-02 09:16:34] | MnRtt/Rnk: 5826.22ms/13 | MxRtt/Rnk: 6912.17ms/11 | ..."
  LineVerdict ParseStragglerReport(const LogLine& line, RecordWriter& out) {
    std::string_view text = line.text;
    TakePrefix(text, "[");
    const auto time_ms = TakeTime(text, out.hints().utc_offset_s);
    if (!time_ms.has_value()) return Rejected("no time before a straggler report");
    out.Begin(line, RecordKind::kMeasurement);
    out.set_time_ms(*time_ms);
    out.Emit();
    report_line_ = line;
    for (size_t cell = text.find('|'); cell != text.npos; cell = text.find('|')) {
      text.remove_prefix(cell + 1);
      if (!ParseExtreme(Trim(text.substr(0, text.find('|'))), out)) {
        return Rejected("a cell without value/rank");
      }
    }
    return kTaken;
  }

  // "MnRtt/Rnk: 5826.22ms/13"
  bool ParseExtreme(std::string_view cell, RecordWriter& out) {
    if (!TakePrefix(cell, "Mn") && !TakePrefix(cell, "Mx")) return false;
    const size_t end = cell.find("/Rnk: ");
    if (end == cell.npos) return false;
    const std::string_view name = cell.substr(0, end);
    return AddOfRank(name, cell.substr(end + sizeof("/Rnk: ") - 1), out);
  }

  // "5826.22ms/13"
  bool AddOfRank(std::string_view name, std::string_view text, RecordWriter& out) {
    const auto value = TakeNumber(text);
    const size_t slash = text.rfind('/');
    if (!value.has_value() || slash == text.npos) return false;
    const auto rank = RankOf(text.substr(slash + 1));
    if (!rank.has_value()) return false;
    out.Begin(report_line_, RecordKind::kMeasurement);
    out.set_rank(*rank);
    out.Add(keys_.Find(name), *value);
    out.EmitContinuation();
    return true;
  }

  // "^^^^ Bottom 4 Ranks with lowest  Etpt(TF): 256.40/11, 300.32/1, "
  LineVerdict ParseExtremes(const LogLine& line, RecordWriter& out) {
    constexpr std::string_view kName = "Etpt(TF): ";
    const size_t begin = line.text.find(kName);
    if (begin == line.text.npos) return kIgnored;
    report_line_ = line;
    std::string_view text = line.text.substr(begin + kName.size());
    while (!Trim(text).empty()) {
      const size_t end = std::min(text.find(','), text.size());
      if (!AddOfRank("Etpt", Trim(text.substr(0, end)), out)) {
        return Rejected("no value/rank among the extremes");
      }
      text.remove_prefix(std::min(text.size(), end + 1));
    }
    return kTaken;
  }

  KeyCache keys_;
  MegatronTimers timers_;
  LogLine report_line_;
};

}  // namespace

std::unique_ptr<LogFormat> NewMegatron() { return std::make_unique<Megatron>(); }

bool IsMegatronIteration(std::string_view line) {
  std::optional<int64_t> time_ms;
  return TakeIterationStart(line, time_ms, 0) && line.find('/') != line.npos &&
         line.find('|') != line.npos;
}

bool IsMegatronStragglerReport(std::string_view line) {
  return line.starts_with('[') && line.find("| MnRtt/Rnk: ") != line.npos;
}

}  // namespace lockstep::logs
