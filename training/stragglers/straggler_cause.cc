#include "training/stragglers/straggler_cause.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/strings/str_format.h"
#include "catalogue/metric_names.h"
#include "training/devices/device_health.h"
#include "training/matrix/column_blocks.h"
#include "training/matrix/statistics.h"
#include "training/stragglers/straggler_thresholds.h"

namespace lockstep::training {
namespace {

struct CausePhases {
  StragglerCause cause;
  std::initializer_list<PhaseKind> kinds;
};

constexpr size_t kCauseCount = 5;

const std::array<CausePhases, kCauseCount>& AllCausePhases() {
  static const std::array<CausePhases, kCauseCount> kAll = {{
      {StragglerCause::kLoader, {PhaseKind::kData}},
      {StragglerCause::kHostToDevice, {PhaseKind::kHostToDevice}},
      {StragglerCause::kGpu,
       {PhaseKind::kForward, PhaseKind::kBackward, PhaseKind::kOptimizer, PhaseKind::kCompute}},
      {StragglerCause::kOther, {PhaseKind::kCheckpoint, PhaseKind::kEvaluation, PhaseKind::kOther}},
      {StragglerCause::kNetwork, {PhaseKind::kCommunication}},
  }};
  return kAll;
}

struct InAndOut {
  double in = kUnknown;
  double out = kUnknown;
};

// Medians settle with far fewer columns, and sooner with more peers.
constexpr size_t kMostJudgedColumns = 200;
constexpr size_t kFewestJudgedColumns = 50;
constexpr size_t kMostJudgedCells = size_t{1} << 20;

size_t MostColumns(size_t peers) {
  return std::clamp(kMostJudgedCells / peers, kFewestJudgedColumns, kMostJudgedColumns);
}

// Appends at most `most` evenly spaced elements of `columns` to `some`.
void AppendSome(const std::vector<size_t>& columns, size_t most, std::vector<size_t>& some) {
  const size_t count = std::min(columns.size(), most);
  for (size_t i = 0; i < count; ++i) some.push_back(columns[i * columns.size() / count]);
}

// Selects the columns in which to look for a cause: some slow columns of a row and some others.
// Warm-up steps are neither: they were not judged, and a rank that is late from its first step on
// is late in them too.
std::vector<size_t> ColumnsToJudge(const StepTable& table, const RankMask& slow, size_t row,
                                   size_t most) {
  std::vector<size_t> in;
  std::vector<size_t> out;
  for (size_t n = 0; n < slow.columns(); ++n) {
    if (table.step[n] < table.attempt_first_step + kWarmUpSteps) continue;
    (slow(row, n) ? in : out).push_back(n);
  }
  std::vector<size_t> some;
  AppendSome(in, most, some);
  AppendSome(out, most, some);
  std::sort(some.begin(), some.end());
  return some;
}

RankMatrix Picked(const RankMatrix& matrix, std::span<const size_t> columns) {
  if (matrix.empty()) return {};
  RankMatrix picked(matrix.rows(), columns.size());
  for (size_t row = 0; row < matrix.rows(); ++row) {
    const std::span<const double> from = matrix.Row(row);
    for (size_t i = 0; i < columns.size(); ++i) picked(row, i) = from[columns[i]];
  }
  return picked;
}

RankMask Picked(const RankMask& mask, std::span<const size_t> columns) {
  RankMask picked(mask.rows(), columns.size());
  for (size_t row = 0; row < mask.rows(); ++row) {
    if (!mask.MayHaveAny(row)) continue;
    for (size_t i = 0; i < columns.size(); ++i) picked.Set(row, i, 1, mask(row, columns[i]));
  }
  return picked;
}

// The values of a row in some columns, and their excess over its peers.
struct RowSeconds {
  std::vector<double> own;
  std::vector<double> excess;
};

using SecondsByCause = std::array<RowSeconds, kCauseCount>;

// For each of AllCausePhases(); empty if the table has no such phase. Takes a few columns at a
// time, because all columns of a large job do not fit in the cache.
SecondsByCause SecondsOfRow(const StepTable& table, const std::vector<size_t>& group,
                            const RankMask& slow, size_t row, std::span<const size_t> columns) {
  SecondsByCause all;
  for (size_t first = 0; first < columns.size(); first += kColumnsPerBlock) {
    const std::span<const size_t> block =
        columns.subspan(first, std::min(kColumnsPerBlock, columns.size() - first));
    const RankMask is_slow = Picked(slow, block);
    StepTable judged;
    for (const PhaseColumn& phase : table.phases) {
      judged.phases.push_back({phase.name, phase.kind, Picked(phase.seconds, block)});
    }
    for (size_t i = 0; i < all.size(); ++i) {
      const RankMatrix seconds = SumOfPhases(judged, AllCausePhases()[i].kinds);
      if (seconds.empty()) continue;
      const std::span<const double> own = seconds.Row(row);
      const std::vector<double> excess = ExcessOfRow(seconds, group, is_slow, row);
      all[i].own.insert(all[i].own.end(), own.begin(), own.end());
      all[i].excess.insert(all[i].excess.end(), excess.begin(), excess.end());
    }
  }
  return all;
}

// Medians of a row over its slow columns and over the others.
InAndOut SplitMedians(std::span<const double> values, const RankMask& slow, size_t row) {
  std::vector<double> in;
  std::vector<double> out;
  for (size_t n = 0; n < values.size(); ++n) (slow(row, n) ? in : out).push_back(values[n]);
  return {Median(in), out.size() < kShortestEpisode ? kUnknown : Median(out)};
}

double PeerMean(std::span<const GpuCounters> devices, const std::vector<size_t>& group, size_t row,
                Role role, const TimeRange& time) {
  std::vector<double> means;
  for (const size_t peer : group) {
    if (peer != row) means.push_back(MeanIn(devices[peer][role], time));
  }
  return Median(means);
}

// Compares a rank's GPU with those of its peers over the same time.
class DeviceComparison {
 public:
  DeviceComparison(std::span<const GpuCounters> devices, const std::vector<size_t>& group,
                   size_t row, const TimeRange& time)
      : devices_(devices), group_(group), row_(row), time_(time) {}

  double Own(Role role) const { return MeanIn(devices_[row_][role], time_); }
  double Peers(Role role) const { return PeerMean(devices_, group_, row_, role, time_); }
  double Less(Role role) const { return Peers(role) - Own(role); }
  double Ratio(Role role) const { return Own(role) / Peers(role); }
  const GpuCounters& device() const { return devices_[row_]; }
  const TimeRange& time() const { return time_; }

 private:
  std::span<const GpuCounters> devices_;
  const std::vector<size_t>& group_;
  size_t row_;
  TimeRange time_;
};

StragglerCause DeviceCause(const DeviceComparison& compared) {
  if (compared.Less(Role::kGpuGrEngineActiveRatio) >= kLeastEngineDeficit) {
    const double copied = -compared.Less(Role::kGpuPcieRxBytesPerSecond);
    return copied > kCopyingBytesPerS ? StragglerCause::kHostToDevice : StragglerCause::kLoader;
  }
  if (-compared.Less(Role::kGpuSmActiveRatio) >= kLeastSmExcess) return StragglerCause::kGpu;
  return StragglerCause::kUnknown;
}

// The order matters: the device's own reports come before conclusions from comparison.
GpuReason ReasonOf(const DeviceComparison& compared) {
  const DeviceHealth health = HealthIn(compared.device(), compared.time());
  if (health.is_unhealthy) return GpuReason::kUnhealthy;
  if (health.is_throttled_by_heat) return GpuReason::kThrottled;
  if (health.is_power_braked) return GpuReason::kPowerCapped;
  if (compared.Ratio(Role::kGpuPowerLimitWatts) < kLowerPowerLimit) {
    return GpuReason::kPowerCapped;
  }
  if (compared.Own(Role::kGpuMemoryTemperatureCelsius) > kHotMemoryC) {
    return GpuReason::kMemoryTemperature;
  }
  const double power = compared.Ratio(Role::kGpuPowerWatts);
  if (compared.Ratio(Role::kGpuSmClockHertz) < kLowerClock && power < kLowerPower) {
    return GpuReason::kClocks;
  }
  if (-compared.Less(Role::kGpuTensorActiveRatio) > kMoreTensorWork && power >= kLowerPower) {
    return GpuReason::kMoreWork;
  }
  return GpuReason::kUnknown;
}

// `unit` is that of the metric by which findings show the role.
void AddComparison(const DeviceComparison& compared, Role role, std::string_view unit,
                   SlowRankFinding& finding) {
  const double own = compared.Own(role);
  if (std::isnan(own)) return;
  const catalogue::ShownName shown = catalogue::ShownNameOf(role);
  finding.evidence.push_back({.signal = std::string(shown.metric),
                              .value = own / shown.factor,
                              .reference = compared.Peers(role) / shown.factor,
                              .unit = std::string(unit),
                              .words = "mean over the longest episode, against the peers' median"});
}

TimeRange LongestEpisode(const SlowRankFinding& finding) {
  const auto longest =
      std::max_element(finding.episodes.begin(), finding.episodes.end(),
                       [](const StragglerEpisode& a, const StragglerEpisode& b) {
                         return a.time.max_ms - a.time.min_ms < b.time.max_ms - b.time.min_ms;
                       });
  return longest->time;
}

}  // namespace

void SetCauseFromPhases(StragglerMethod method, const StepTable& table,
                        const std::vector<std::vector<size_t>>& groups, const SlowRows& found,
                        const SlowRow& slow, SlowRankFinding& finding) {
  const std::vector<size_t>& group = GroupOf(groups, slow.row);
  const std::vector<size_t> columns =
      ColumnsToJudge(table, found.slow, slow.row, MostColumns(group.size()));
  const RankMask is_slow = Picked(found.slow, columns);
  const SecondsByCause seconds = SecondsOfRow(table, group, found.slow, slow.row, columns);
  double largest = 0;
  for (size_t i = 0; i < seconds.size(); ++i) {
    const CausePhases& phases = AllCausePhases()[i];
    const bool is_wait = method != StragglerMethod::kCollectiveWaits;
    if (phases.cause == StragglerCause::kNetwork && is_wait) continue;
    if (seconds[i].own.empty()) continue;
    const InAndOut own = SplitMedians(seconds[i].own, is_slow, slow.row);
    const InAndOut over = SplitMedians(seconds[i].excess, is_slow, slow.row);
    const double grown = over.in - (std::isnan(over.out) ? 0.0 : over.out);
    finding.evidence.push_back(
        {.signal = absl::StrFormat("%s_seconds", Name(phases.cause)),
         .value = own.in,
         .reference = own.in - over.in,
         .unit = "seconds",
         .words = "median of the phase in slow steps, against the peers' median"});
    if (grown > largest) {
      largest = grown;
      finding.cause = phases.cause;
    }
  }
}

void SetCauseFromDevices(std::span<const GpuCounters> devices, const std::vector<size_t>& group,
                         SlowRankFinding& finding) {
  if (devices.empty() || finding.episodes.empty()) return;
  const DeviceComparison compared(devices, group, finding.row, LongestEpisode(finding));
  if (finding.cause == StragglerCause::kUnknown) finding.cause = DeviceCause(compared);
  if (finding.cause == StragglerCause::kGpu) finding.gpu_reason = ReasonOf(compared);
  AddComparison(compared, Role::kGpuGrEngineActiveRatio, "ratio", finding);
  AddComparison(compared, Role::kGpuSmActiveRatio, "ratio", finding);
  AddComparison(compared, Role::kGpuTensorActiveRatio, "ratio", finding);
  AddComparison(compared, Role::kGpuPcieRxBytesPerSecond, "bytes/s", finding);
  AddComparison(compared, Role::kGpuSmClockHertz, "MHz", finding);
  AddComparison(compared, Role::kGpuPowerWatts, "W", finding);
}

}  // namespace lockstep::training
