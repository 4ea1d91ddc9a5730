// Stragglers by step time alone. All ranks report the same step time, so no rank can be named.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "training/episodes/episode_scales.h"
#include "training/episodes/episodes.h"
#include "training/job/step_work.h"
#include "training/matrix/statistics.h"
#include "training/stragglers/straggler_cost.h"
#include "training/stragglers/straggler_methods.h"
#include "training/stragglers/straggler_thresholds.h"

namespace lockstep::training {
namespace {

constexpr size_t kShortWindow = 11;
constexpr size_t kLongWindow = 25;
// A change counts if it is this many times the job's drift from window to window.
constexpr double kWanderMargin = 4.0;
constexpr size_t kFewestDifferences = 5;

// `seconds` relative to the lowest median that the job sustained for `window` steps, minus one.
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

// How far medians of `window` steps drift from one to the next. A job that becomes slower once, or
// steadily, does not drift more for it.
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
  std::vector<double> seconds = SecondsOfLikeWork(table);
  std::vector<EpisodeScale> scales = ScalesForSteps(
      std::array{
          EpisodeScale{.window = kShortWindow, .level = kUnreachableExcess, .change = least_short},
          EpisodeScale{.window = kLongWindow, .level = kUnreachableExcess, .change = least_long}},
      Median(seconds));
  const std::vector<double> over = OverQuickest(table, std::move(seconds), scales.back().window);
  // Host speed drifts, and with it every job whose devices wait for the host.
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
    answer.missing.emplace_back("step times for at least 25 steps");
    return answer;
  }
  answer.missing.emplace_back("phase times within a step: step times alone cannot name a rank");
  std::vector<Episode> slower = SlowerSteps(table, kSlowerStepsShort, kSlowerStepsLong);
  // A single rank is occasionally slow for reasons of its own, so only a slowdown that persists
  // counts.
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
                             .words = "median of the slow steps, against the other steps"});
  return answer;
}

}  // namespace lockstep::training
