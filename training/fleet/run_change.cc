#include "training/fleet/run_change.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

constexpr size_t kFewestStepsOfRun = 20;
constexpr size_t kMostBaseRuns = 5;
constexpr size_t kFewestRunsForDeviation = 3;
constexpr double kLeastChange = 0.03;
constexpr double kLeastChangeOfFew = 0.05;
constexpr double kDeviationsOfRuns = 3;
constexpr double kPhaseShare = 0.5;  // of the change

struct Base {
  double step_seconds = kUnknown;
  double noise_ratio = kUnknown;
};

// The runs before the change, which is in `changed_count` of the predecessors.
std::span<const RunSummary> BaseRuns(std::span<const RunSummary> predecessors,
                                     size_t changed_count) {
  const auto rest = predecessors.subspan(changed_count);
  return rest.first(std::min(rest.size(), kMostBaseRuns));
}

Base BaseOf(std::span<const RunSummary> runs) {
  std::vector<double> seconds;
  for (const RunSummary& run : runs) seconds.push_back(run.step_seconds);
  Base base{.step_seconds = Median(seconds), .noise_ratio = kLeastChangeOfFew};
  if (seconds.size() >= kFewestRunsForDeviation) {
    base.noise_ratio =
        std::max(kLeastChange, kDeviationsOfRuns * RobustDeviation(seconds) / base.step_seconds);
  }
  return base;
}

// -1: faster; 1: slower; 0: neither.
int DirectionOf(const RunSummary& run, const Base& base) {
  const double ratio = run.step_seconds / base.step_seconds - 1;
  if (ratio > base.noise_ratio) return 1;
  return ratio < -base.noise_ratio ? -1 : 0;
}

void SetPhase(const RunSummary& run, std::span<const RunSummary> base, RunComparison& found) {
  const double change = run.step_seconds - found.usual_step_seconds;
  for (const auto& [name, seconds] : run.phase_seconds) {
    std::vector<double> before;
    for (const RunSummary& each : base) {
      const auto phase = each.phase_seconds.find(name);
      if (phase != each.phase_seconds.end()) before.push_back(phase->second);
    }
    const double phase_change = seconds - Median(before);
    const bool is_most =
        found.phase.empty() || std::abs(phase_change) > std::abs(found.phase_change_seconds);
    if (phase_change / change < kPhaseShare || std::isnan(phase_change) || !is_most) continue;
    found.phase = name;
    found.phase_change_seconds = phase_change;
  }
}

std::string ValueOf(const std::map<std::string, std::string>& settings, const std::string& name) {
  const auto found = settings.find(name);
  return found == settings.end() ? "" : found->second;
}

std::vector<ChangedSetting> ChangedSettings(const RunSummary& before, const RunSummary& after) {
  std::map<std::string, std::string> names = before.settings;
  names.insert(after.settings.begin(), after.settings.end());
  std::vector<ChangedSetting> changed;
  for (const auto& [name, value] : names) {
    ChangedSetting setting{name, ValueOf(before.settings, name), ValueOf(after.settings, name)};
    if (setting.before != setting.after) changed.push_back(std::move(setting));
  }
  return changed;
}

}  // namespace

std::string_view Name(RunChange change) {
  constexpr std::string_view kNames[] = {"unknown", "none", "slower", "faster"};
  return kNames[static_cast<size_t>(change)];
}

RunSummary SummaryOf(const StepTable& steps) {
  RunSummary run;
  std::vector<double> job_steps = JobStepSeconds(steps);
  for (size_t n = 0; n < job_steps.size(); ++n) {
    if (steps.step[n] < steps.attempt_first_step + kWarmUpSteps) job_steps[n] = kUnknown;
    if (!std::isnan(job_steps[n])) ++run.steps;
  }
  if (run.steps < kFewestStepsOfRun) return run;
  run.step_seconds = Median(job_steps);
  for (const PhaseColumn& phase : steps.phases) {
    std::vector<double> of_ranks;
    for (size_t row = 0; row < phase.seconds.rows(); ++row) {
      of_ranks.push_back(Median(phase.seconds.Row(row)));
    }
    run.phase_seconds[phase.name] = Median(of_ranks);
  }
  return run;
}

RunComparison CompareRuns(const RunSummary& run, std::span<const RunSummary> predecessors) {
  RunComparison found;
  if (std::isnan(run.step_seconds) || predecessors.empty()) return found;
  size_t changed_count = 0;
  Base base = BaseOf(BaseRuns(predecessors, 0));
  int direction = DirectionOf(run, base);
  // The change may have come before some of the predecessors: then it is as clear without them.
  for (size_t count = 1; count < predecessors.size(); ++count) {
    const Base earlier = BaseOf(BaseRuns(predecessors, count));
    const int first = DirectionOf(run, earlier);
    if (first == 0 || (direction != 0 && first != direction)) continue;
    const auto changed = predecessors.first(count);
    if (!std::ranges::all_of(
            changed, [&](const RunSummary& each) { return DirectionOf(each, earlier) == first; })) {
      break;
    }
    changed_count = count;
    base = earlier;
    direction = first;
  }
  const auto base_runs = BaseRuns(predecessors, changed_count);
  found.usual_step_seconds = base.step_seconds;
  found.noise_ratio = base.noise_ratio;
  found.base_count = base_runs.size();
  found.change_ratio = run.step_seconds / base.step_seconds - 1;
  found.change = direction == 0  ? RunChange::kNone
                 : direction > 0 ? RunChange::kSlower
                                 : RunChange::kFaster;
  if (direction == 0) return found;
  if (changed_count > 0) found.since = changed_count - 1;
  const RunSummary& first_changed = changed_count > 0 ? predecessors[changed_count - 1] : run;
  found.settings = ChangedSettings(base_runs.front(), first_changed);
  SetPhase(run, base_runs, found);
  return found;
}

}  // namespace lockstep::training
