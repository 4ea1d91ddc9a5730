#include "answers/verdict.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "answers/job_loader.h"
#include "base/status.h"
#include "training/bottlenecks.h"
#include "training/events.h"
#include "training/open_episodes.h"
#include "training/stragglers.h"

namespace lockstep::answers {
namespace {

using training::GpuCounters;
using training::StepTable;

bool IsWithin(const LoadedJob& job, const training::TimeRange& window) {
  const std::vector<int64_t>& ends = job.steps.end_ms;
  const bool has_all_steps =
      ends.empty() || (ends.front() > window.from_ms && ends.back() <= window.to_ms);
  return has_all_steps && job.time.from_ms >= window.from_ms && job.time.to_ms <= window.to_ms;
}

size_t MostSteps(size_t rank_count) {
  constexpr size_t kMostCells = size_t{1} << 21;
  constexpr size_t kFewestSteps = 128;
  return std::max(kMostCells / std::max<size_t>(rank_count, 1), kFewestSteps);
}

// The hour until `end_ms`, or the latest steps in it where it has too many.
training::TimeRange WindowOf(const LoadedJob& job, int64_t end_ms) {
  training::TimeRange window{end_ms - kVerdictWindowMs, end_ms};
  const std::vector<int64_t>& ends = job.steps.end_ms;
  const auto count = static_cast<size_t>(std::ranges::upper_bound(ends, end_ms) - ends.begin());
  const size_t most = MostSteps(job.job.ranks.size());
  if (count > most) window.from_ms = std::max(window.from_ms, ends[count - most - 1]);
  return window;
}

}  // namespace

int64_t VerdictWindowMs(size_t rank_count, double usual_step_seconds) {
  constexpr double kMargin = 1.25;
  const double ms =
      1000 * kMargin * static_cast<double>(MostSteps(rank_count)) * usual_step_seconds;
  // Unknown, or more than an hour.
  if (!(ms > 0) || ms >= static_cast<double>(kVerdictWindowMs)) return kVerdictWindowMs;
  return std::llround(ms);
}

JobNeeds VerdictNeeds() { return JobNeeds::Everything(); }

training::JobVerdictAnswer VerdictOf(const LoadedJob& job, int64_t end_ms, training::JobState state,
                                     std::span<const training::NotReportingRank> not_reporting,
                                     TaskPool* pool) {
  const training::TimeRange window = WindowOf(job, end_ms);
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
  // Ranks do not end a step at once: the last one of the job may be that of another rank.
  const int64_t window_ms = VerdictWindowMs(job.job.ranks.size(), job.signs.usual_step_seconds);
  const TimeRange time{std::max(asked.time.min_ms, job.time.to_ms - window_ms), asked.time.max_ms};
  LOCKSTEP_ASSIGN_OR_RETURN(const LoadedJob loaded, LoadJob({.name = job.job.name,
                                                             .time = time,
                                                             .attempt = {},
                                                             .needs = VerdictNeeds(),
                                                             .now_ms = asked.now_ms},
                                                            context));
  training::JobVerdictAnswer answer = VerdictOf(loaded, loaded.time.to_ms, job.condition.state,
                                                loaded.not_reporting, &context.pool);
  context.budget.Release(loaded.held_samples);
  return answer;
}

}  // namespace

absl::Status Judge(std::span<ListedJob> jobs, const JobListQuery& asked,
                   const LoadContext& context) {
  for (ListedJob& job : jobs.first(std::min(jobs.size(), kMostJudged))) {
    LOCKSTEP_RETURN_IF_ERROR(context.budget.Check());
    absl::StatusOr<training::JobVerdictAnswer> verdict = ReadVerdict(job, asked, context);
    if (verdict.ok()) {
      job.verdict = *std::move(verdict);
      continue;
    }
    // A job that is registered and has no series yet.
    if (verdict.status().code() != absl::StatusCode::kNotFound) return verdict.status();
    job.verdict = training::VerdictOf({.job = job.job, .steps = {}, .state = job.condition.state});
  }
  return absl::OkStatus();
}

}  // namespace lockstep::answers
