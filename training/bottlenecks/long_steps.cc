#include "training/bottlenecks/long_steps.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "training/bottlenecks/bottlenecks.h"
#include "training/job/step_work.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

constexpr double kShortestLongStepSeconds = 2.0;
// A phase that accounts for this share of the excess time explains the step.
constexpr double kExplainingShare = 0.5;
// A checkpoint leaves the device at about 1e9 B/s over PCIe; training sends 1 % of that.
constexpr double kCheckpointBytesPerS = 1e8;
constexpr double kCheckpointOverUsual = 5.0;
constexpr double kInputBytesPerS = 1e9;
constexpr double kBusyEngine = 0.5;
// Recurring pauses: at least this many, of similar length, at similar intervals.
constexpr size_t kFewestRecurring = 3;
constexpr double kSimilar = 1.5;
constexpr double kAlike = 1.1;
constexpr int64_t kShortestPeriod = 10;
// Step ends are trusted if they agree with logged durations to this share: log lines without
// timestamps get their arrival time.
constexpr double kTrustedEnds = 0.1;

// Wall time of each step, including the pause before it, if step ends can be trusted; otherwise the
// logged duration.
std::vector<double> WallSeconds(const StepTable& table) {
  std::vector<double> logged = JobStepSeconds(table);
  std::vector<double> wall = logged;
  std::vector<double> difference;
  for (size_t n = 1; n < wall.size(); ++n) {
    if (table.step[n - 1] + 1 != table.step[n]) continue;
    wall[n] = static_cast<double>(table.end_ms[n] - table.end_ms[n - 1]) / 1000.0;
    difference.push_back(std::abs(wall[n] - logged[n]));
  }
  if (!(Median(difference) <= kTrustedEnds * Median(logged))) return logged;
  for (size_t n = 0; n < wall.size(); ++n) {
    if (!(wall[n] >= logged[n])) wall[n] = logged[n];
  }
  return wall;
}

std::optional<LongStepReason> ReasonOfPhase(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::kCheckpoint:
      return LongStepReason::kCheckpoint;
    case PhaseKind::kEvaluation:
      return LongStepReason::kEvaluation;
    case PhaseKind::kData:
    case PhaseKind::kHostToDevice:
      return LongStepReason::kInput;
    case PhaseKind::kOther:
      return LongStepReason::kOtherPhase;
    default:
      return std::nullopt;  // a hang may have lengthened it
  }
}

bool IsWorkOrExchange(PhaseKind kind) {
  switch (kind) {
    case PhaseKind::kForward:
    case PhaseKind::kBackward:
    case PhaseKind::kOptimizer:
    case PhaseKind::kCompute:
    case PhaseKind::kCommunication:
    case PhaseKind::kWait:
      return true;
    default:
      return false;
  }
}

// The largest excess of a phase over its usual time, over ranks, in column n: the others wait for
// that rank.
double PhaseExcess(const PhaseColumn& phase, size_t n) {
  double most = 0;
  for (size_t row = 0; row < phase.seconds.rows(); ++row) {
    const double seconds = phase.seconds(row, n);
    if (!(seconds > most)) continue;
    const double usual = Median(phase.seconds.Row(row));
    // A phase that is reported only when it happens has a usual time of zero.
    const std::span<const double> all = phase.seconds.Row(row);
    const auto reported = std::count_if(all.begin(), all.end(), [](double s) { return s > 0; });
    const bool is_rare = 2 * static_cast<size_t>(reported) < all.size();
    most = std::max(most, is_rare || std::isnan(usual) ? seconds : seconds - usual);
  }
  return most;
}

void ExplainByPhases(const StepTable& table, LongStep& step) {
  double most = kExplainingShare * (step.seconds - step.usual_seconds);
  for (const PhaseColumn& phase : table.phases) {
    const std::optional<LongStepReason> reason = ReasonOfPhase(phase.kind);
    if (!reason.has_value()) continue;
    const double excess = PhaseExcess(phase, step.column);
    if (!(excess >= most)) continue;
    most = excess;
    step.reason = *reason;
    step.phase = phase.name;
  }
}

void ExplainByDevices(std::span<const GpuCounters> devices, LongStep& step) {
  for (const GpuCounters& device : devices) {
    const DeviceWindow means = MeansIn(device, step.time);
    if (IsWork(Classify(means).bottleneck)) {
      step.reason = LongStepReason::kEvaluation;
      return;
    }
    if (!(means.engine < kBusyEngine)) continue;
    const double usual_sent = Median(device[Role::kGpuPcieTxBytesPerSecond].value);
    if (means.pcie_sent > kCheckpointBytesPerS &&
        means.pcie_sent > kCheckpointOverUsual * usual_sent) {
      step.reason = LongStepReason::kCheckpoint;
      return;
    }
    if (means.pcie_received > kInputBytesPerS) {
      step.reason = LongStepReason::kInput;
      return;
    }
  }
}

// Whether the step stopped in compute or communication, or while a device had a kernel to run.
bool ShowsHang(const StepTable& table, std::span<const GpuCounters> devices, const LongStep& step) {
  const double much = kExplainingShare * (step.seconds - step.usual_seconds);
  const bool in_work =
      std::any_of(table.phases.begin(), table.phases.end(), [&](const PhaseColumn& phase) {
        return IsWorkOrExchange(phase.kind) && PhaseExcess(phase, step.column) >= much;
      });
  if (in_work) return true;
  return std::any_of(devices.begin(), devices.end(), [&step](const GpuCounters& device) {
    return MeanIn(device[Role::kGpuGrEngineActiveRatio], step.time) >= kBusyEngine;
  });
}

bool AreSimilar(const std::vector<double>& values, double factor) {
  const double middle = Median(values);
  return std::all_of(values.begin(), values.end(), [&](double value) {
    return value * factor >= middle && value <= middle * factor;
  });
}

// Steps may be numbered from 0 or from 1.
bool IsMultiple(int64_t step, double period) {
  const auto whole = static_cast<int64_t>(period);
  return whole >= kShortestPeriod && (step % whole <= 1 || step % whole == whole - 1);
}

void ExplainByRepetition(const StepTable& table, std::vector<LongStep>& steps) {
  std::vector<LongStep*> open;
  std::vector<double> seconds;
  std::vector<double> distances;
  for (LongStep& step : steps) {
    if (step.reason != LongStepReason::kUnexplained) continue;
    if (!open.empty()) {
      distances.push_back(
          static_cast<double>(table.step[step.column] - table.step[open.back()->column]));
    }
    open.push_back(&step);
    seconds.push_back(step.seconds);
  }
  const bool recurs = open.size() >= kFewestRecurring && AreSimilar(seconds, kSimilar) &&
                      AreSimilar(distances, kSimilar);
  // Two are enough if they lie at multiples of a period, as with "every 40 steps".
  const bool is_periodic = open.size() == 2 && AreSimilar(seconds, kAlike) &&
                           IsMultiple(table.step[open[0]->column], distances[0]);
  if (!recurs && !is_periodic) return;
  for (LongStep* step : open) step->reason = LongStepReason::kRecurring;
}

}  // namespace

std::vector<LongStep> FindLongSteps(const StepTable& table, std::span<const GpuCounters> devices) {
  const std::vector<double> seconds = WallSeconds(table);
  const std::vector<double> usual = StepWork(table).Usual(seconds);
  std::vector<LongStep> steps;
  for (size_t n = 0; n < seconds.size(); ++n) {
    if (table.step[n] == table.attempt_first_step) continue;
    if (!(seconds[n] > kHangFactor * usual[n] && seconds[n] > kShortestLongStepSeconds)) continue;
    LongStep step{.column = n,
                  .time = {table.end_ms[n] - std::llround(1000 * seconds[n]), table.end_ms[n]},
                  .seconds = seconds[n],
                  .usual_seconds = usual[n]};
    ExplainByPhases(table, step);
    if (step.reason == LongStepReason::kUnexplained) ExplainByDevices(devices, step);
    const bool is_start_up = table.step[n] < table.attempt_first_step + kWarmUpSteps;
    if (step.reason == LongStepReason::kUnexplained && is_start_up) {
      step.reason = LongStepReason::kStartUp;
    }
    steps.push_back(std::move(step));
  }
  ExplainByRepetition(table, steps);
  for (LongStep& step : steps) {
    step.is_hang = step.reason == LongStepReason::kUnexplained && ShowsHang(table, devices, step);
  }
  return steps;
}

std::vector<bool> MarkedColumns(const StepTable& table, std::span<const LongStep> long_steps) {
  std::vector<bool> marked(table.size(), false);
  for (const LongStep& step : long_steps) marked[step.column] = true;
  return marked;
}

}  // namespace lockstep::training
