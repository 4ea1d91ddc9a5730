#include "answers/verdict.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "answers/load/job_loader.h"
#include "base/status.h"
#include "storage/storage.h"
#include "training/bottlenecks/bottlenecks.h"
#include "training/events/events.h"
#include "training/stragglers/open_episodes.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::answers {
namespace {

using training::GpuCounters;
using training::StepTable;

bool IsWithin(const LoadedJob& job, const TimeRange& window) {
  const std::vector<int64_t>& ends = job.steps.end_ms;
  const bool has_all_steps =
      ends.empty() || (ends.front() > window.min_ms && ends.back() <= window.max_ms);
  return has_all_steps && job.time.min_ms >= window.min_ms && job.time.max_ms <= window.max_ms;
}

size_t MostSteps(size_t rank_count) {
  constexpr size_t kMostCells = size_t{1} << 21;
  constexpr size_t kFewestSteps = 128;
  return std::max(kMostCells / std::max<size_t>(rank_count, 1), kFewestSteps);
}

// The hour before `end_ms`, or its latest steps if it has too many.
TimeRange WindowOf(const LoadedJob& job, int64_t end_ms) {
  TimeRange window{end_ms - kVerdictWindowMs, end_ms};
  const std::vector<int64_t>& ends = job.steps.end_ms;
  const auto count = static_cast<size_t>(std::ranges::upper_bound(ends, end_ms) - ends.begin());
  const size_t most = MostSteps(job.job.ranks.size());
  if (count > most) window.min_ms = std::max(window.min_ms, ends[count - most - 1]);
  return window;
}

}  // namespace

int64_t VerdictWindowMs(size_t rank_count, double usual_step_seconds) {
  constexpr double kMargin = 1.25;
  const double ms =
      1000 * kMargin * static_cast<double>(MostSteps(rank_count)) * usual_step_seconds;
  // Unknown or more than an hour.
  if (!(ms > 0) || ms >= static_cast<double>(kVerdictWindowMs)) return kVerdictWindowMs;
  return std::llround(ms);
}

JobNeeds VerdictNeeds() { return JobNeeds::Everything(); }

training::JobVerdictAnswer VerdictOf(const LoadedJob& job, int64_t end_ms, training::JobState state,
                                     std::span<const training::NotReportingRank> not_reporting,
                                     TaskPool* pool) {
  const TimeRange window = WindowOf(job, end_ms);
  StepTable cut_steps;
  std::vector<GpuCounters> cut_devices;
  const bool is_whole = IsWithin(job, window);
  if (!is_whole) {
    cut_steps = training::StepsIn(job.steps, window);
    for (const GpuCounters& device : job.devices) {
      cut_devices.push_back(training::CountersIn(device, window));
    }
  }
  const StepTable& steps = is_whole ? job.steps : cut_steps;
  const std::span<const GpuCounters> devices = is_whole ? job.devices : cut_devices;
  training::StragglerAnswer stragglers =
      training::FindStragglers({job.job, steps, devices, pool, job.links});
  if (state == training::JobState::kRunning) training::KeepEpisodesOpen(steps, stragglers);
  const training::BottleneckAnswer bottlenecks =
      training::FindBottlenecks({job.job, steps, devices, job.facts.world_size});
  const std::vector<training::Event> events = training::FindEvents({job.job, steps, devices, {}});
  return training::VerdictOf({.job = job.job,
                              .steps = steps,
                              .state = state,
                              .not_reporting = not_reporting,
                              .stragglers = &stragglers,
                              .bottlenecks = &bottlenecks,
                              .events = events});
}

namespace {

absl::StatusOr<training::JobVerdictAnswer> ReadVerdict(const ListedJob& job,
                                                       const JobListQuery& asked,
                                                       const LoadContext& context) {
  // Ranks end a step at different times: the job's last step may be from another rank.
  const int64_t window_ms = VerdictWindowMs(job.job.ranks.size(), job.signs.usual_step_seconds);
  const TimeRange time{std::max(asked.time.min_ms, job.time.max_ms - window_ms), asked.time.max_ms};
  LOCKSTEP_ASSIGN_OR_RETURN(const LoadedJob loaded, LoadJob({.name = job.job.name,
                                                             .time = time,
                                                             .attempt = {},
                                                             .needs = VerdictNeeds(),
                                                             .now_ms = asked.now_ms},
                                                            context));
  training::JobVerdictAnswer answer = VerdictOf(loaded, loaded.time.max_ms, job.condition.state,
                                                loaded.not_reporting, &context.pool);
  context.budget.Release(loaded.held_samples);
  return answer;
}

}  // namespace

absl::StatusOr<std::vector<ListedJob>> ListJudgedJobs(const JobListQuery& query,
                                                      const LoadContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(std::vector<ListedJob> jobs, ListJobs(query, context));
  if (query.exclude_verdicts) return jobs;
  for (ListedJob& job : std::span(jobs).first(std::min(jobs.size(), kMostJudged))) {
    LOCKSTEP_RETURN_IF_ERROR(context.budget.Check());
    absl::StatusOr<training::JobVerdictAnswer> verdict = ReadVerdict(job, query, context);
    if (verdict.ok()) {
      job.verdict = *std::move(verdict);
      continue;
    }
    // A registered job without series yet.
    if (verdict.status().code() != absl::StatusCode::kNotFound) return verdict.status();
    job.verdict = training::VerdictOf({.job = job.job, .steps = {}, .state = job.condition.state});
  }
  return jobs;
}

absl::StatusOr<std::vector<ListedJob>> AnswerJobs(const JobListQuery& question,
                                                  const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  return ListJudgedJobs(question, {*querier, context.pool, context.budget});
}

}  // namespace lockstep::answers
