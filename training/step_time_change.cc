// Stragglers by step time alone: all ranks report the same, so there is no rank to name.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "training/episode_scales.h"
#include "training/statistics.h"
#include "training/step_work.h"
#include "training/straggler_cost.h"
#include "training/straggler_methods.h"
#include "training/straggler_thresholds.h"

namespace lockstep::training {
namespace {

constexpr size_t kShortWindow = 11;
constexpr size_t kLongWindow = 25;
// A change counts if it is so many times what the job wanders by from window to window.
constexpr double kWanderMargin = 4.0;
constexpr size_t kFewestDifferences = 5;

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

// How far medians of `window` steps wander by themselves, from one to the next. A job that became slower
// once, or steadily, wanders no more for it.
double WanderOf(std::span<const double> over, size_t window) {
  std::vector<double> known;
  for (const double value : over) {
    if (!std::isnan(value)) known.push_back(value);
  }
  std::vector<double> differences;
  double before = kUnknown;
  for (size_t at = 0; at + window <= known.size(); at += window) {
    const double median = Median(std::span(known).subspan(at, window));
    if (!std::isnan(before)) differences.push_back(median - before);
    before = median;
  }
  if (differences.size() < kFewestDifferences) return 0;
  return RobustDeviation(differences) / std::sqrt(2.0);
}

size_t FirstKnown(const std::vector<double>& values) {
  const auto known =
      std::find_if(values.begin(), values.end(), [](double value) { return !std::isnan(value); });
  return static_cast<size_t>(known - values.begin());
}

}  // namespace

std::vector<double> SecondsOfLikeWork(const StepTable& table) {
  std::vector<double> seconds = JobStepSeconds(table);
  const StepWork work(table);
  if (!work.varies()) return seconds;
  const double usual_step = Median(seconds);
  const std::vector<double> usual = work.Usual(seconds);
  for (size_t n = 0; n < seconds.size(); ++n) seconds[n] *= usual_step / usual[n];
  return seconds;
}

std::vector<Episode> SlowerSteps(const StepTable& table, double least_short, double least_long) {
  constexpr double kNever = 1e9;
  std::vector<double> seconds = SecondsOfLikeWork(table);
  std::vector<EpisodeScale> scales = ScalesForSteps(
      std::array{EpisodeScale{.window = kShortWindow, .level = kNever, .change = least_short},
                 EpisodeScale{.window = kLongWindow, .level = kNever, .change = least_long}},
      Median(seconds));
  const std::vector<double> over = OverQuickest(table, std::move(seconds), scales.back().window);
  // Hosts wander, and with them every job whose devices wait for its host.
  const double surely = kWanderMargin * WanderOf(over, scales.back().window);
  for (EpisodeScale& scale : scales) scale.change = std::max(scale.change, surely);
  std::vector<Episode> slower = FindEpisodes(over, scales);
  const size_t quiet_until = FirstKnown(over) + scales.back().shortest;
  if (!slower.empty() && slower.front().first < quiet_until) slower.erase(slower.begin());
  return slower;
}

StragglerAnswer StragglersByStepTime(const StragglerInput& input) {
  StragglerAnswer answer{.method = StragglerMethod::kStepTime};
  const StepTable& table = input.steps;
  const std::vector<double> seconds = SecondsOfLikeWork(table);
  const auto known = static_cast<size_t>(
      std::count_if(seconds.begin(), seconds.end(), [](double s) { return !std::isnan(s); }));
  if (known < kLongWindow) {
    answer.missing.emplace_back("step times of at least 25 steps");
    return answer;
  }
  answer.missing.emplace_back("what ranks do within a step: no rank can be told by step times");
  std::vector<Episode> slower = SlowerSteps(table, kSlowerStepsShort, kSlowerStepsLong);
  // Alone on its host, a rank is slow now and then for reasons of its own. What is over is no verdict.
  const bool is_over = !slower.empty() && slower.back().last + 1 < table.size();
  if (input.job.ranks.size() == 1 && is_over) slower.clear();
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
  SetCostFromSteps(seconds, slow_step, input.job, answer);
  answer.evidence.push_back({.signal = "step_seconds",
                             .value = answer.what_if.step_seconds_now,
                             .reference = answer.what_if.step_seconds_before,
                             .unit = "seconds",
                             .words = "median of the slow steps, against the others"});
  return answer;
}

}  // namespace lockstep::training
