#include "ingest/logs/record/record_fields.h"

#include <cmath>
#include <limits>

#include "ingest/logs/text/line_time.h"
#include "ingest/logs/text/number_text.h"

namespace lockstep::logs {
namespace {

// Whether a double holds the number exactly as an integer, as steps must be.
bool IsWhole(double number) { return std::abs(number) <= 0x1p53 && std::trunc(number) == number; }

}  // namespace

std::optional<double> NumberOfBareWord(std::string_view token) {
  while (token.ends_with(' ')) token.remove_suffix(1);
  if (token == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (token == "Infinity") return std::numeric_limits<double>::infinity();
  if (token == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

void RecordFields::Begin() {
  event_text_ = {};
  step_precedence_ = 0;
}

void RecordFields::TakeRole(const MetricKey& key, double number, RecordWriter& out) {
  switch (key.role) {
    case KeyRole::kStep:
      if (key.step_precedence > step_precedence_ && IsWhole(number)) {
        out.set_step(static_cast<int64_t>(number));
        step_precedence_ = key.step_precedence;
      }
      return;
    case KeyRole::kTime:
      if (const auto time_ms = TimeOfNumber(number)) {
        out.set_time_ms(*time_ms);
      } else {
        out.Add(&key, number);
      }
      return;
    case KeyRole::kRank:
      if (number >= 0 && number <= INT32_MAX) out.set_rank(static_cast<int32_t>(number));
      return;
    case KeyRole::kAttempt:
      if (number >= 0 && number <= INT32_MAX) out.set_attempt(static_cast<int64_t>(number));
      return;
    default:
      return;
  }
}

void RecordFields::TakeText(const MetricKey* key, std::string_view text, RecordWriter& out) {
  switch (key->role) {
    case KeyRole::kJob:
      out.set_job(text);
      return;
    case KeyRole::kRun:
      out.set_run(text);
      return;
    case KeyRole::kLabel:
      out.AddLabel(key->name, text);
      return;
    case KeyRole::kEventText:
      event_text_ = text;
      return;
    case KeyRole::kTime:
      if (auto rest = text; const auto time_ms = TakeTime(rest, out.hints().utc_offset_s)) {
        out.set_time_ms(*time_ms);
        return;
      }
      [[fallthrough]];
    case KeyRole::kStep:
    case KeyRole::kRank:
    case KeyRole::kAttempt:
      if (const auto number = NumberOf(text)) TakeNumber(key, *number, out);
      return;
    case KeyRole::kValue:
      if (const auto number = NumberOfBareWord(text)) out.Add(key, *number);
      return;
    case KeyRole::kNothing:
      return;
  }
}

}  // namespace lockstep::logs
