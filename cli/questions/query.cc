#include <algorithm>
#include <chrono>

#include "absl/strings/str_format.h"
#include "api/http/params.h"
#include "base/clock.h"
#include "cli/client/ask.h"
#include "cli/questions/missing_series.h"
#include "cli/questions/query_answer.h"
#include "cli/questions/questions.h"
#include "cli/questions/say.h"
#include "cli/terminal/time_text.h"

namespace lockstep::cli {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

constexpr int64_t kStepsOfRange = 60;

absl::StatusOr<int64_t> DurationMs(const std::string& flag, const std::string& text) {
  const auto duration = api::ParseDuration(text);
  if (!duration.ok()) return Annotate(duration.status(), flag);
  const int64_t duration_ms = duration_cast<milliseconds>(*duration).count();
  if (duration_ms > 0) return duration_ms;
  return absl::InvalidArgumentError(absl::StrFormat("%s: %s is not a valid time", flag, text));
}

// The grid of one query; with --watch, the range moves on each time.
absl::StatusOr<TimeGrid> GridOf(const QueryFlags& flags) {
  TimeGrid grid;
  grid.end_ms = SystemTimeMs();
  if (!flags.time.empty()) {
    LOCKSTEP_ASSIGN_OR_RETURN(grid.end_ms, api::ParseTimeMs(flags.time));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const int64_t range_ms, DurationMs("--range", flags.range));
  grid.start_ms = grid.end_ms - range_ms;
  grid.step_ms = std::max<int64_t>(range_ms / kStepsOfRange, 1);
  if (!flags.step.empty()) {
    LOCKSTEP_ASSIGN_OR_RETURN(grid.step_ms, DurationMs("--step", flags.step));
  }
  return grid;
}

std::string SecondsOf(int64_t time_ms) { return SecondsText(static_cast<double>(time_ms) / 1e3); }

// The text of an answer; if it is empty, also the reason.
absl::StatusOr<std::string> Explained(absl::StatusOr<std::string> text, HttpClient& client,
                                      const QueryFlags& flags, QueriedTimes times) {
  if (!text.ok() || *text != kNoResult) return text;
  return kNoResult + WhyNoResult(client, flags.expression, times);
}

absl::StatusOr<std::string> AskAtOnce(HttpClient& client, const QueryFlags& flags) {
  LOCKSTEP_ASSIGN_OR_RETURN(
      const std::string json,
      AskForText(client, "/api/v1/query", {{"query", flags.expression}, {"time", flags.time}}));
  if (flags.form.as_json) return json + "\n";
  if (flags.form.as_csv) return AnswerCsv(json);
  int64_t time_ms = SystemTimeMs();
  if (!flags.time.empty()) {
    LOCKSTEP_ASSIGN_OR_RETURN(time_ms, api::ParseTimeMs(flags.time));
  }
  return Explained(AnswerText(json), client, flags, {time_ms, time_ms});
}

absl::StatusOr<std::string> AskOverRange(HttpClient& client, const QueryFlags& flags) {
  LOCKSTEP_ASSIGN_OR_RETURN(const TimeGrid grid, GridOf(flags));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string json,
                            AskForText(client, "/api/v1/query_range",
                                       {{"query", flags.expression},
                                        {"start", SecondsOf(grid.start_ms)},
                                        {"end", SecondsOf(grid.end_ms)},
                                        {"step", SecondsOf(grid.step_ms)}}));
  if (flags.form.as_json) return json + "\n";
  if (flags.form.as_csv) return AnswerCsv(json);
  return Explained(CurvesText(json, grid, GlyphsOfLocale()), client, flags,
                   {grid.start_ms, grid.end_ms});
}

}  // namespace

ExitCode Query(const QueryFlags& flags) {
  return SayText(flags.server, flags.form, [&](HttpClient& client) {
    return flags.range.empty() ? AskAtOnce(client, flags) : AskOverRange(client, flags);
  });
}

}  // namespace lockstep::cli
