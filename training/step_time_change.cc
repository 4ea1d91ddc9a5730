// Stragglers by step time alone: all ranks report the same, so there is no rank to name.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "training/episode_scales.h"
#include "training/statistics.h"
#include "training/straggler_cost.h"
#include "training/straggler_methods.h"
#include "training/straggler_thresholds.h"

namespace lockstep::training {
namespace {

constexpr size_t kShortWindow = 11;
constexpr size_t kLongWindow = 25;

// `seconds` over the lowest that the job kept up for `window` steps, less one.
std::vector<double> OverQuickest(const StepTable& table, std::vector<double> seconds,
                                 size_t window) {
  for (size_t n = 0; n < seconds.size(); ++n) {
    if (table.step[n] < table.attempt_first_step + kWarmUpSteps) seconds[n] = kUnknown;
  }
  std::vector<double> known;
  for (const double value : seconds) {
    if (!std::isnan(value)) known.push_back(value);
  }
  if (known.empty()) return seconds;
  const std::vector<double> smooth = RunningMedian(known, window);
  const double quickest = *std::min_element(smooth.begin(), smooth.end());
  for (double& value : seconds) value = value / quickest - 1;
  return seconds;
}

size_t FirstKnown(const std::vector<double>& values) {
  const auto known =
      std::find_if(values.begin(), values.end(), [](double value) { return !std::isnan(value); });
  return static_cast<size_t>(known - values.begin());
}

}  // namespace

std::vector<Episode> SlowerSteps(const StepTable& table, double least_short, double least_long) {
  constexpr double kNever = 1e9;
  std::vector<double> seconds = JobStepSeconds(table);
  const std::vector<EpisodeScale> scales = ScalesForSteps(
      std::array{EpisodeScale{.window = kShortWindow, .level = kNever, .change = least_short},
                 EpisodeScale{.window = kLongWindow, .level = kNever, .change = least_long}},
      Median(seconds));
  const std::vector<double> over = OverQuickest(table, std::move(seconds), scales.back().window);
  std::vector<Episode> slower = FindEpisodes(over, scales);
  const size_t quiet_until = FirstKnown(over) + scales.back().shortest;
  if (!slower.empty() && slower.front().first < quiet_until) slower.erase(slower.begin());
  return slower;
}

StragglerAnswer StragglersByStepTime(const StragglerInput& input) {
  StragglerAnswer answer{.method = StragglerMethod::kStepTime};
  const StepTable& table = input.steps;
  const std::vector<double> seconds = JobStepSeconds(table);
  const auto known = static_cast<size_t>(
      std::count_if(seconds.begin(), seconds.end(), [](double s) { return !std::isnan(s); }));
  if (known < kLongWindow) {
    answer.missing.emplace_back("step times of at least 25 steps");
    return answer;
  }
  answer.missing.emplace_back("what ranks do within a step: no rank can be told by step times");
  const std::vector<Episode> slower = SlowerSteps(table, kSlowerStepsShort, kSlowerStepsLong);
  answer.verdict = slower.empty() ? StragglerVerdict::kNone : StragglerVerdict::kJobSlowAll;
  if (slower.empty()) return answer;
  std::vector<bool> slow_step(table.size(), false);
  for (const Episode& episode : slower) {
    std::fill_n(slow_step.begin() + static_cast<ptrdiff_t>(episode.first), episode.size(), true);
  }
  const Episode& first = slower.front();
  answer.slow_since =
      StragglerEpisode{.time = {StepBeginMs(table, first.first), table.end_ms[slower.back().last]},
                       .first_step = table.step[first.first],
                       .last_step = table.step[slower.back().last],
                       .is_open = slower.back().last + 1 == table.size()};
  SetCostFromSteps(seconds, slow_step, input.job.ranks.size(), answer);
  answer.evidence.push_back({.signal = "step_seconds",
                             .value = answer.what_if.step_seconds_now,
                             .reference = answer.what_if.step_seconds_before,
                             .unit = "seconds",
                             .words = "median of the slow steps, against the others"});
  return answer;
}

}  // namespace lockstep::training
