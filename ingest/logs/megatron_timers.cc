#include "ingest/logs/megatron_timers.h"

#include <array>
#include <optional>

#include "ingest/logs/number_text.h"
#include "ingest/logs/state_coding.h"

namespace lockstep::logs {
namespace {

constexpr std::array kTimerSources = {MetricSource::kMegatronTimers};

}  // namespace

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
    return Rejected("no rank in front of a timer's value");
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
  if (colon == text.npos) return Rejected("no ':' behind a timer's name");
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

}  // namespace lockstep::logs
