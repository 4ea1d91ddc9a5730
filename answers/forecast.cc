#include "answers/forecast.h"

#include <algorithm>
#include <cmath>

#include "answers/ledger.h"
#include "base/status.h"
#include "catalogue/roles.h"
#include "training/efficiency/efficiency.h"

namespace lockstep::answers {
namespace {

using training::kUnknown;

constexpr double kHourSeconds = 3600.0;
// A job whose newest step is older than this many steps is not making any.
constexpr double kStalledSteps = 3.0;

double Seconds(int64_t from_ms, int64_t to_ms) {
  return static_cast<double>(to_ms - from_ms) / 1000.0;
}

// Unknown counts as nothing, unless both are unknown.
double SumOfKnown(double a, double b) {
  if (std::isnan(a)) return b;
  return std::isnan(b) ? a : a + b;
}

// Steps are numbered over the life of the job, so those that were done again count once.
// Precondition: the last attempt has steps.
double StepsDone(const std::vector<LoadedJob>& attempts) {
  const bool is_from_zero = attempts.front().steps.attempt_first_step == 0;
  return static_cast<double>(attempts.back().steps.step.back() + (is_from_zero ? 1 : 0));
}

struct Consumption {
  double tokens = kUnknown;  // of the whole job
  double tokens_per_step = kUnknown;
};

Consumption ConsumptionOf(const std::vector<LoadedJob>& attempts) {
  const LoadedJob& last = attempts.back();
  const training::EfficiencyAnswer efficiency =
      training::EfficiencyOf({.job = last.job, .steps = last.steps, .devices = {}});
  Consumption found;
  if (last.steps.size() > 1) {
    found.tokens_per_step = efficiency.consumed_tokens / static_cast<double>(last.steps.size());
  }
  found.tokens = last.facts.total_tokens;
  if (std::isnan(found.tokens)) found.tokens = found.tokens_per_step * StepsDone(attempts);
  return found;
}

// Sets `reason` if it is unknown.
double StepsLeft(const std::vector<LoadedJob>& attempts, const ForecastOptions& options,
                 std::string& reason) {
  const LoadedJob& last = attempts.back();
  if (last.steps.step.empty()) {
    reason = "the job has logged no steps";
    return kUnknown;
  }
  if (options.total_tokens > 0) {
    const Consumption consumed = ConsumptionOf(attempts);
    const double left = (options.total_tokens - consumed.tokens) / consumed.tokens_per_step;
    if (std::isnan(left)) reason = "the job does not log its tokens";
    return std::isnan(left) ? kUnknown : std::max(0.0, left);
  }
  double total = options.total_steps;
  if (!(total > 0) && last.facts.planned_steps.has_value()) {
    total = static_cast<double>(*last.facts.planned_steps);
  }
  if (!(total > 0)) {
    reason = "the job does not log how many steps it plans: give total_steps or total_tokens";
    return kUnknown;
  }
  return std::max(0.0, total - StepsDone(attempts));
}

void SetEnd(const std::vector<LoadedJob>& attempts, const ForecastOptions& options,
            double lost_seconds, JobForecast& found) {
  const LoadedJob& last = attempts.back();
  if (!found.is_running) {
    found.reason = "the job has ended";
    return;
  }
  found.steps_left = StepsLeft(attempts, options, found.reason);
  if (!found.reason.empty()) return;
  if (std::isnan(found.pace.seconds_per_step)) {
    found.reason = "the job has made too few steps";
    return;
  }
  found.left =
      training::TimeLeftOf(found.pace, found.steps_left, found.mean_seconds_between, lost_seconds);
  // Part of the next step is done.
  const double since = Seconds(last.steps.end_ms.back(), found.as_of_ms);
  if (since < 0 || since > kStalledSteps * found.pace.seconds_per_step) return;
  for (double* seconds :
       {&found.left.seconds, &found.left.earliest_seconds, &found.left.latest_seconds}) {
    *seconds = std::isnan(*seconds) ? kUnknown : std::max(0.0, *seconds - since);
  }
}

void SetCost(const std::vector<LoadedJob>& attempts, const Prices& prices, JobForecast& found) {
  const LoadedJob& last = attempts.back();
  const auto gpus = static_cast<double>(training::GpuCount(last.job));
  const double seconds = Seconds(attempts.front().time.min_ms, last.time.max_ms);
  found.gpu_hours = gpus * seconds / kHourSeconds;
  found.gpu_hours_left = gpus * found.left.seconds / kHourSeconds;
  found.price_per_gpu_hour = PricePerGpuHour(last, prices).value_or(kUnknown);
  JobLedger energy;
  energy.energy = EnergyOf(attempts, prices);
  found.kwh = energy.Kwh();
  found.kwh_left = found.kwh / seconds * found.left.seconds;
  found.price_per_kwh = prices.per_kwh;
  found.currency = prices.currency;
}

// What an interruption costs beside the steps that are done again.
double RestartSeconds(const training::Interruptions& interruptions) {
  return std::isnan(interruptions.restart_seconds) ? 0.0 : interruptions.restart_seconds;
}

void SetCheckpoints(const ForecastOptions& options, JobForecast& found) {
  const training::Interruptions& interruptions = found.interruptions;
  const training::Checkpoints& checkpoints = found.checkpoints;
  if (options.mtbf_hours > 0) {
    found.mean_seconds_between = options.mtbf_hours * kHourSeconds;
  } else if (interruptions.count > 0) {
    found.mean_seconds_between = interruptions.mean_seconds_between;
  }
  const double mean = std::isnan(found.mean_seconds_between)
                          ? interruptions.at_least_seconds_between
                          : found.mean_seconds_between;
  if (!(checkpoints.seconds > 0) || !(mean > 0)) return;
  const double restart = RestartSeconds(interruptions);
  found.best_interval_seconds = training::BestIntervalSeconds(checkpoints.seconds, mean);
  if (found.pace.seconds_per_step > 0) {
    found.best_interval_steps =
        std::max(1.0, std::round(found.best_interval_seconds / found.pace.seconds_per_step));
  }
  found.lost_share =
      training::LostShare(checkpoints.interval_seconds, checkpoints.seconds, mean, restart);
  found.best_lost_share =
      training::LostShare(found.best_interval_seconds, checkpoints.seconds, mean, restart);
}

}  // namespace

double JobForecast::Cost() const {
  return SumOfKnown(gpu_hours * price_per_gpu_hour, kwh * price_per_kwh);
}

double JobForecast::CostLeft() const {
  return SumOfKnown(gpu_hours_left * price_per_gpu_hour, kwh_left * price_per_kwh);
}

JobNeeds ForecastNeeds() {
  JobNeeds needs = LedgerNeeds();
  needs.memory = true;
  for (const catalogue::Role role :
       {catalogue::Role::kGpuMemoryUsedBytes, catalogue::Role::kGpuMemoryFreeBytes}) {
    needs.devices.set(static_cast<size_t>(role));
  }
  return needs;
}

JobForecast ForecastOf(const std::vector<LoadedJob>& attempts, const Prices& prices,
                       const ForecastOptions& options, int64_t now_ms) {
  const LoadedJob& last = attempts.back();
  std::vector<training::Attempt> starts;
  for (const LoadedJob& job : attempts) starts.push_back({job.time, &job.steps, job.devices});
  const training::LongStepsOfAttempts long_steps = training::FindLongStepsOf(starts);
  JobForecast found{.subject = SubjectOf(last),
                    .is_running = last.is_running,
                    .as_of_ms = last.is_running ? now_ms : last.time.max_ms,
                    .pace = training::PaceOf(starts, long_steps),
                    .memory = training::MemoryHeadroomOf(last.job, last.steps, last.devices),
                    .checkpoints = training::CheckpointsOf(starts, long_steps),
                    .interruptions = training::InterruptionsOf(starts)};
  SetCheckpoints(options, found);
  // On average, half an interval of steps is done again.
  const double lost_seconds =
      RestartSeconds(found.interruptions) + (std::isnan(found.checkpoints.interval_seconds)
                                                 ? 0.0
                                                 : found.checkpoints.interval_seconds / 2);
  SetEnd(attempts, options, lost_seconds, found);
  SetCost(attempts, prices, found);
  return found;
}

absl::StatusOr<JobForecast> AnswerForecast(const ForecastQuestion& question,
                                           const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::vector<LoadedJob> attempts,
                            LoadAttempts(question.job, ForecastNeeds(), context));
  const int64_t now_ms = std::min(question.job.time.max_ms, context.now_ms);
  return ForecastOf(attempts, question.prices, question.options, now_ms);
}

}  // namespace lockstep::answers
