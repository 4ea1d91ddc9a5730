#include "training/forecast/checkpoints.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

// Some trainers report a phase of microseconds in steps without a checkpoint.
constexpr double kLeastShareOfLongest = 0.1;

struct Found {
  std::vector<double> seconds;
  std::vector<double> interval_seconds;
  std::vector<double> interval_steps;
};

// By column: the seconds that the slowest rank spends in a checkpoint; empty if none is logged.
std::vector<double> LoggedSeconds(const StepTable& table) {
  const RankMatrix phase = SumOfPhases(table, {PhaseKind::kCheckpoint});
  std::vector<double> seconds(phase.empty() ? 0 : table.size(), 0.0);
  for (size_t row = 0; row < phase.rows(); ++row) {
    for (size_t n = 0; n < seconds.size(); ++n) {
      if (phase(row, n) > seconds[n]) seconds[n] = phase(row, n);
    }
  }
  return seconds;
}

std::vector<double> SecondsByColumn(const StepTable& table,
                                    const std::vector<LongStep>& long_steps) {
  std::vector<double> seconds = LoggedSeconds(table);
  if (std::any_of(seconds.begin(), seconds.end(), [](double each) { return each > 0; })) {
    return seconds;
  }
  seconds.assign(table.size(), 0.0);
  for (const LongStep& step : long_steps) {
    if (step.reason != LongStepReason::kCheckpoint) continue;
    seconds[step.column] = std::max(0.0, step.seconds - step.usual_seconds);
  }
  return seconds;
}

void AddCheckpoints(const StepTable& table, const std::vector<LongStep>& long_steps, Found& found) {
  const std::vector<double> seconds = SecondsByColumn(table, long_steps);
  if (seconds.empty()) return;
  const double least = kLeastShareOfLongest * *std::max_element(seconds.begin(), seconds.end());
  size_t last = seconds.size();
  for (size_t n = 0; n < seconds.size(); ++n) {
    if (!(seconds[n] > 0) || seconds[n] < least) continue;
    found.seconds.push_back(seconds[n]);
    if (last < n) {
      found.interval_seconds.push_back(static_cast<double>(table.end_ms[n] - table.end_ms[last]) /
                                       1000.0);
      found.interval_steps.push_back(static_cast<double>(table.step[n] - table.step[last]));
    }
    last = n;
  }
}

}  // namespace

Checkpoints CheckpointsOf(std::span<const Attempt> attempts,
                          const LongStepsOfAttempts& long_steps) {
  Found found;
  for (size_t i = 0; i < attempts.size(); ++i) {
    AddCheckpoints(*attempts[i].steps, long_steps[i], found);
  }
  return {.count = found.seconds.size(),
          .seconds = Median(found.seconds),
          .interval_seconds = Median(found.interval_seconds),
          .interval_steps = Median(found.interval_steps)};
}

double LostShare(double interval_seconds, double checkpoint_seconds, double mean_seconds_between,
                 double restart_seconds) {
  return checkpoint_seconds / interval_seconds +
         (interval_seconds / 2 + restart_seconds) / mean_seconds_between;
}

double BestIntervalSeconds(double checkpoint_seconds, double mean_seconds_between) {
  const double half_share = checkpoint_seconds / (2 * mean_seconds_between);
  // Where failures are as frequent as checkpoints are long, none of the formulas holds.
  if (half_share >= 1) return mean_seconds_between + checkpoint_seconds;
  return std::sqrt(2 * checkpoint_seconds * mean_seconds_between) *
         (1 + std::sqrt(half_share) / 3 + half_share / 9);
}

}  // namespace lockstep::training
