#include "answers/load/job_life.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "answers/load/series_roles.h"
#include "base/status.h"
#include "identity/registration.h"
#include "model/matcher.h"
#include "model/remembered_matcher.h"

namespace lockstep::answers {
namespace {

void Raise(int64_t time_ms, std::optional<int64_t>& latest) {
  latest = std::max(time_ms, latest.value_or(time_ms));
}

// Trainers log this event when they finish or fail. It applies to the whole job, whichever rank
// logs it.
constexpr std::string_view kEventMetric = "lockstep_event";
constexpr std::string_view kEndEvents = "training_end|crash";

void NoteJobExit(const ProcessExit& exit, JobLife& life) {
  if (!life.exit.has_value() || life.exit->time_ms < exit.time_ms) life.exit = exit;
}

void Note(const LabelSet& labels, int64_t time_ms, double value, JobLife& life) {
  const std::string_view name = labels.metric_name();
  if (name == identity::kRankAliveMetric) return Raise(time_ms, life.alive_ms);
  if (name == kEventMetric) {
    return NoteJobExit({time_ms, labels.Get("event") == "crash"}, life);
  }
  if (name == identity::kRankInfoMetric && value != 0) return Raise(time_ms, life.begin_ms);
  // A rank whose registration ends has left, for an unknown reason.
  const bool has_failed = name == identity::kExitCodeMetric && value != 0;
  const std::optional<int64_t> rank = OriginOf(labels).rank;
  const ProcessExit exit{time_ms, has_failed};
  if (!rank.has_value()) return NoteJobExit(exit, life);
  const auto [known, is_new] = life.rank_exits.try_emplace(*rank, exit);
  if (is_new || known->second.time_ms > time_ms) return;
  // The end of a registration equals an exit at the same time, but without the exit code.
  const bool is_same = known->second.time_ms == time_ms;
  known->second = {time_ms, has_failed || (is_same && known->second.has_failed)};
}

}  // namespace

std::optional<int64_t> JobLife::ExitMs(int64_t rank) const {
  std::optional<int64_t> time_ms;
  if (exit.has_value()) time_ms = exit->time_ms;
  if (const auto own = rank_exits.find(rank); own != rank_exits.end()) {
    Raise(own->second.time_ms, time_ms);
  }
  return time_ms;
}

namespace {

// Reads each series' newest sample at or before the end of `time`.
absl::Status ReadNewest(std::span<const Matcher> matchers, const TimeRange& time,
                        const LoadContext& context, JobLife& life) {
  const TimeRange until{kAllTimes.min_ms, time.max_ms};
  LOCKSTEP_ASSIGN_OR_RETURN(
      const auto set,
      context.querier.Select({matchers, until, &context.budget, SamplesNeeded::kNewest}));
  SampleColumns samples;
  while (set->Next()) {
    LOCKSTEP_RETURN_IF_ERROR(context.budget.Check());
    samples.Clear();
    LOCKSTEP_RETURN_IF_ERROR(set->Read(samples));
    if (samples.values.empty() || !std::isfinite(samples.values.back())) continue;
    Note(set->labels(), samples.timestamps_ms.back(), samples.values.back(), life);
  }
  return set->status();
}

}  // namespace

absl::StatusOr<JobLife> ReadJobLife(const std::string& job, const TimeRange& time,
                                    const LoadContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(
      Matcher names,
      RememberedRegexMatcher(
          kMetricName, absl::StrFormat("%s|%s|%s", identity::kExitCodeMetric,
                                       identity::kRankAliveMetric, identity::kRankInfoMetric)));
  LOCKSTEP_ASSIGN_OR_RETURN(Matcher events, RememberedRegexMatcher("event", kEndEvents));
  const std::vector<Matcher> of_processes = {Matcher::Equal("job", job), std::move(names)};
  const std::vector<Matcher> of_trainers = {
      Matcher::Equal("job", job),
      Matcher::Equal(std::string(kMetricName), std::string(kEventMetric)), std::move(events)};
  JobLife life;
  LOCKSTEP_RETURN_IF_ERROR(ReadNewest(of_processes, time, context, life));
  LOCKSTEP_RETURN_IF_ERROR(ReadNewest(of_trainers, time, context, life));
  return life;
}

void SetSigns(const JobLife& life, std::span<const int64_t> reporting, training::JobSigns& signs) {
  signs.begin_ms = life.begin_ms;
  signs.alive_ms = life.alive_ms;
  const int64_t last_ms = signs.last_step_end_ms.value_or(kAllTimes.min_ms);
  std::optional<ProcessExit> all_ranks;
  bool are_all_gone = !reporting.empty();
  for (const int64_t rank : reporting) {
    const auto exit = life.rank_exits.find(rank);
    // An exit before the last step belongs to an earlier attempt.
    if (exit == life.rank_exits.end()) {
      are_all_gone = false;
      continue;
    }
    const auto& [time_ms, has_failed] = exit->second;
    if (!all_ranks.has_value()) all_ranks = ProcessExit{time_ms, false};
    all_ranks->time_ms = std::max(all_ranks->time_ms, time_ms);
    all_ranks->has_failed =
        all_ranks->has_failed || (has_failed && training::IsEndOf(time_ms, last_ms));
  }
  if (life.exit.has_value() && training::IsEndOf(life.exit->time_ms, last_ms)) {
    signs.exit_ms = life.exit->time_ms;
    signs.has_failed = life.exit->has_failed;
  } else if (all_ranks.has_value() && (are_all_gone || all_ranks->has_failed)) {
    signs.exit_ms = all_ranks->time_ms;
    signs.has_failed = all_ranks->has_failed;
  }
}

}  // namespace lockstep::answers
