#include "training/forecast/pace.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

constexpr size_t kFewestPaceSteps = 20;
constexpr size_t kFewestPaceStretches = 3;
constexpr size_t kMostPaceStretches = 20;
constexpr double kOuterTenth = 0.1;
// No event in a time T: with a confidence of 95 %, the mean time between two is at least T / 3.
constexpr double kRuleOfThree = 3.0;

// From the end of the step in the column before.
struct StepSpan {
  double steps = 0;  // more than one if a trainer does not log each
  double usual_seconds = 0;
  double extra_seconds = 0;  // of an explained long step
};

bool IsExplained(LongStepReason reason) {
  return reason != LongStepReason::kUnexplained && reason != LongStepReason::kStartUp;
}

void AddSpans(const StepTable& table, const std::vector<LongStep>& long_steps,
              std::vector<StepSpan>& spans) {
  auto long_step = long_steps.begin();
  for (size_t n = 1; n < table.size(); ++n) {
    while (long_step != long_steps.end() && long_step->column < n) ++long_step;
    if (table.step[n - 1] < table.attempt_first_step + kWarmUpSteps) continue;
    const double seconds = static_cast<double>(table.end_ms[n] - table.end_ms[n - 1]) / 1000.0;
    StepSpan span{.steps = static_cast<double>(table.step[n] - table.step[n - 1]),
                  .usual_seconds = std::max(0.0, seconds)};
    if (long_step != long_steps.end() && long_step->column == n) {
      const double extra =
          std::clamp(long_step->seconds - long_step->usual_seconds, 0.0, span.usual_seconds);
      span.usual_seconds -= extra;
      if (IsExplained(long_step->reason)) span.extra_seconds = extra;
    }
    spans.push_back(span);
  }
}

double SecondsPerStep(std::span<const StepSpan> spans, double StepSpan::*seconds) {
  double all_seconds = 0;
  double steps = 0;
  for (const StepSpan& span : spans) {
    all_seconds += span.*seconds;
    steps += span.steps;
  }
  return all_seconds / steps;
}

// Seconds per step of equal stretches, pauses included.
std::vector<double> PaceOfStretches(std::span<const StepSpan> spans) {
  const size_t count = std::min(kMostPaceStretches, spans.size() / kFewestPaceSteps);
  std::vector<double> paces;
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = i * spans.size() / count;
    const auto stretch = spans.subspan(begin, (i + 1) * spans.size() / count - begin);
    paces.push_back(SecondsPerStep(stretch, &StepSpan::usual_seconds) +
                    SecondsPerStep(stretch, &StepSpan::extra_seconds));
  }
  return paces;
}

}  // namespace

LongStepsOfAttempts FindLongStepsOf(std::span<const Attempt> attempts) {
  LongStepsOfAttempts found;
  for (const Attempt& attempt : attempts) {
    found.push_back(FindLongSteps(*attempt.steps, attempt.devices));
  }
  return found;
}

Pace PaceOf(std::span<const Attempt> attempts, const LongStepsOfAttempts& long_steps) {
  std::vector<StepSpan> all;
  for (size_t i = 0; i < attempts.size(); ++i) AddSpans(*attempts[i].steps, long_steps[i], all);
  Pace pace{.steps = all.size()};
  if (all.size() < kFewestPaceSteps) return pace;
  const auto newest = std::span(all).subspan(all.size() / 2);
  pace.seconds_per_step = SecondsPerStep(newest, &StepSpan::usual_seconds) +
                          SecondsPerStep(all, &StepSpan::extra_seconds);
  const std::vector<double> paces = PaceOfStretches(all);
  if (paces.size() < kFewestPaceStretches) return pace;
  pace.fast = std::min(pace.seconds_per_step, Quantile(paces, kOuterTenth));
  pace.slow = std::max(pace.seconds_per_step, Quantile(paces, 1 - kOuterTenth));
  return pace;
}

Interruptions InterruptionsOf(std::span<const Attempt> attempts) {
  Interruptions found;
  std::vector<double> restarts;
  const StepTable* before = nullptr;
  for (size_t i = 0; i < attempts.size(); ++i) {
    const Attempt& attempt = attempts[i];
    found.running_seconds +=
        static_cast<double>(attempt.time.max_ms - attempt.time.min_ms) / 1000.0;
    if (i > 0) ++found.count;
    const StepTable& table = *attempt.steps;
    if (table.size() == 0) continue;
    if (before != nullptr) {
      const int64_t restart_ms = StepBeginMs(table, 0) - before->end_ms.back();
      restarts.push_back(std::max(0.0, static_cast<double>(restart_ms) / 1000.0));
    }
    before = &table;
  }
  if (found.count == 0) {
    found.at_least_seconds_between = found.running_seconds / kRuleOfThree;
    return found;
  }
  found.mean_seconds_between = found.running_seconds / static_cast<double>(found.count);
  found.restart_seconds = Median(restarts);
  return found;
}

TimeLeft TimeLeftOf(const Pace& pace, double steps_left, double mean_seconds_between,
                    double lost_seconds) {
  TimeLeft left;
  const double running = steps_left * pace.seconds_per_step;
  const bool is_interrupted = mean_seconds_between > 0 && !std::isnan(lost_seconds);
  const double expected = is_interrupted ? running / mean_seconds_between : 0.0;
  // Interruptions are rare and independent: their number spreads as its square root.
  const double many = expected + 2 * std::sqrt(expected);
  left.seconds = running;
  left.earliest_seconds = steps_left * pace.fast;
  left.latest_seconds = steps_left * pace.slow;
  if (!is_interrupted) return left;
  left.interruptions = expected;
  left.seconds += expected * lost_seconds;
  left.latest_seconds += many * lost_seconds;
  return left;
}

}  // namespace lockstep::training
