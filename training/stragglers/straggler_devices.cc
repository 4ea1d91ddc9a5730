// Stragglers by device counters alone.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "absl/strings/str_format.h"
#include "catalogue/metric_names.h"
#include "training/devices/device_bins.h"
#include "training/devices/step_axis.h"
#include "training/episodes/episodes.h"
#include "training/episodes/slow_rows.h"
#include "training/matrix/statistics.h"
#include "training/stragglers/straggler_cause.h"
#include "training/stragglers/straggler_cost.h"
#include "training/stragglers/straggler_methods.h"
#include "training/stragglers/straggler_thresholds.h"

namespace lockstep::training {
namespace {

// Profiling counters are averages since the previous sample: a window must span several steps and
// samples, or it only shows which part of a step it covered.
constexpr int64_t kShortestBinMs = 500;
constexpr int64_t kWindowMs = 5000;
constexpr int64_t kWindowSteps = 10;
constexpr size_t kFewestBins = 7;
// Samples further apart than this miss short problems.
constexpr int64_t kLongestPeriodMs = 10000;

constexpr size_t kFewestSparseBins = 60;

constexpr std::span<const double> kAsItIs = {};  // do not divide the excess

struct Sampling {
  BinGrid grid = {};
  size_t window = 0;  // bins
  int64_t period_ms = 0;
};

struct Extent {
  int64_t first_ms = 0;
  int64_t last_ms = 0;
  int64_t period_ms = 0;
};

Extent ExtentOf(std::span<const GpuCounters> devices) {
  Extent extent;
  std::vector<double> periods;
  for (const GpuCounters& device : devices) {
    const CounterSeries& series = device[Role::kGpuGrEngineActiveRatio].empty()
                                      ? device[Role::kGpuSmActiveRatio]
                                      : device[Role::kGpuGrEngineActiveRatio];
    if (series.empty()) continue;
    const bool is_first = periods.empty();
    periods.push_back(static_cast<double>(SamplePeriodMs(series)));
    extent.first_ms = is_first ? series.timestamp_ms.front()
                               : std::min(extent.first_ms, series.timestamp_ms.front());
    extent.last_ms = is_first ? series.timestamp_ms.back()
                              : std::max(extent.last_ms, series.timestamp_ms.back());
  }
  if (!periods.empty()) extent.period_ms = std::llround(Median(periods));
  return extent;
}

Sampling SamplingOf(const StragglerInput& input, const Extent& extent) {
  const double step_seconds = Median(JobStepSeconds(input.steps));
  const int64_t step_ms = std::isnan(step_seconds) ? 0 : std::llround(step_seconds * 1000);
  Sampling sampling{.period_ms = extent.period_ms};
  sampling.grid.width_ms = std::max({kShortestBinMs, extent.period_ms, step_ms});
  sampling.grid.begin_ms = extent.first_ms - extent.period_ms;
  if (input.job.begin_ms > 0) {
    sampling.grid.begin_ms = std::max(sampling.grid.begin_ms, input.job.begin_ms + kDeviceWarmUpMs);
  }
  const int64_t length_ms = extent.last_ms - sampling.grid.begin_ms;
  if (length_ms > 0) {
    const int64_t width_ms = sampling.grid.width_ms;
    sampling.grid.count = static_cast<size_t>((length_ms + width_ms - 1) / width_ms);
  }
  const int64_t window_ms = std::max(kWindowMs, kWindowSteps * step_ms);
  const int64_t bins = (window_ms + sampling.grid.width_ms - 1) / sampling.grid.width_ms;
  sampling.window = std::max(kFewestBins, static_cast<size_t>(bins));
  return sampling;
}

// Bins in which some device is idle, and their neighbours.
std::vector<bool> PausedBins(const RankMatrix& engine) {
  std::vector<bool> paused(engine.columns(), false);
  for (size_t row = 0; row < engine.rows(); ++row) {
    for (size_t n = 0; n < engine.columns(); ++n) {
      if (!(engine(row, n) < kIdleEngineRatio)) continue;
      for (size_t k = n == 0 ? 0 : n - 1; k < std::min(n + 2, engine.columns()); ++k) {
        paused[k] = true;
      }
    }
  }
  return paused;
}

void Forget(const std::vector<bool>& bins, RankMatrix& values) {
  for (size_t row = 0; row < values.rows(); ++row) {
    for (size_t n = 0; n < bins.size(); ++n) {
      if (bins[n]) values(row, n) = kUnknown;
    }
  }
}

void ForgetSlow(const RankMask& slow, RankMatrix& values) {
  for (size_t row = 0; row < values.rows(); ++row) {
    for (size_t n = 0; n < values.columns(); ++n) {
      if (slow(row, n)) values(row, n) = kUnknown;
    }
  }
}

RankMatrix Negated(RankMatrix values) {
  for (size_t row = 0; row < values.rows(); ++row) {
    for (double& value : values.Row(row)) value = -value;
  }
  return values;
}

StragglerEpisode EpisodeInBins(const StragglerInput& input, const BinGrid& grid,
                               const Episode& episode) {
  StragglerEpisode result{.time = grid.Bins(episode.first, episode.last),
                          .is_open = episode.last + 1 == grid.count};
  const std::optional<size_t> first = StepAt(input.steps, result.time.min_ms + 1);
  const std::optional<size_t> last = StepAt(input.steps, result.time.max_ms);
  if (first.has_value()) result.first_step = input.steps.step[*first];
  if (first.has_value() && last.has_value()) result.last_step = input.steps.step[*last];
  return result;
}

struct DeviceSignal {
  Role role;
  std::string_view words;
};

constexpr DeviceSignal kEngine = {Role::kGpuGrEngineActiveRatio,
                                  "how far device activity was below the peers' median, against "
                                  "other times"};
constexpr DeviceSignal kSm = {Role::kGpuSmActiveRatio,
                              "how far SM activity was above the peers' median, against other "
                              "times"};

void AddRows(const StragglerInput& input, const std::vector<std::vector<size_t>>& groups,
             const BinGrid& grid, const DeviceSignal& signal, const SlowRows& found,
             StragglerAnswer& answer) {
  for (const SlowRow& slow : found.rows) {
    SlowRankFinding finding{.row = slow.row, .score = slow.level, .persistence = slow.persistence};
    for (const Episode& episode : slow.episodes) {
      finding.episodes.push_back(EpisodeInBins(input, grid, episode));
    }
    finding.evidence.push_back(
        {.signal = std::string(catalogue::ShownNameOf(signal.role).metric) + "_difference",
         .value = slow.level,
         .reference = slow.baseline,
         .unit = "ratio",
         .words = std::string(signal.words)});
    SetCauseFromDevices(input.devices, GroupOf(groups, slow.row), finding);
    answer.ranks.push_back(std::move(finding));
  }
}

void SetDeviceCost(const StragglerInput& input, StragglerAnswer& answer) {
  const StepTable& table = input.steps;
  if (table.step_seconds.empty() || answer.ranks.empty()) return;
  std::vector<bool> slow_step(table.size(), false);
  for (const SlowRankFinding& finding : answer.ranks) {
    for (const StragglerEpisode& episode : finding.episodes) {
      for (size_t n = 0; n < table.size(); ++n) {
        const int64_t end = table.end_ms[n];
        if (end > episode.time.min_ms && end <= episode.time.max_ms) slow_step[n] = true;
      }
    }
  }
  SetCostFromSteps(JobStepSeconds(table), slow_step, input.job, answer);
}

bool HasCounter(std::span<const GpuCounters> devices, Role role) {
  return std::count_if(devices.begin(), devices.end(),
                       [role](const GpuCounters& d) { return !d[role].empty(); }) >= 2;
}

std::vector<std::string> MissingCounters(std::span<const GpuCounters> devices) {
  std::vector<std::string> missing;
  for (const Role role : {Role::kGpuGrEngineActiveRatio, Role::kGpuSmActiveRatio}) {
    if (!HasCounter(devices, role)) missing.emplace_back(catalogue::ShownNameOf(role).metric);
  }
  return missing;
}

void FindByCounters(const StragglerInput& input, const std::vector<std::vector<size_t>>& groups,
                    const Sampling& sampling, StragglerAnswer& answer) {
  const BinGrid& grid = sampling.grid;
  const std::array engine_scale = {EpisodeScale{
      .window = sampling.window, .level = kLeastEngineDeficit, .change = kLeastEngineDeficit}};
  const std::array sm_scale = {EpisodeScale{
      .window = sampling.window, .level = kLeastSmExcess, .change = kUnreachableExcess}};
  RankMatrix engine = BinnedMeans(input.devices, kEngine.role, grid);
  RankMatrix sm = BinnedMeans(input.devices, kSm.role, grid);
  const std::vector<bool> paused = PausedBins(engine);
  Forget(paused, engine);
  Forget(paused, sm);
  const RankMatrix rest = Negated(std::move(engine));
  const SlowRows stalled = FindSlowRows({rest, groups, kAsItIs, input.pool}, engine_scale);
  ForgetSlow(stalled.slow, sm);
  const SlowRows busy = FindSlowRows({sm, groups, kAsItIs, input.pool}, sm_scale);
  AddRows(input, groups, grid, kEngine, stalled, answer);
  AddRows(input, groups, grid, kSm, busy, answer);
}

}  // namespace

StragglerAnswer StragglersByDeviceCounters(const StragglerInput& input) {
  StragglerAnswer answer{.method = StragglerMethod::kDeviceCounters};
  answer.missing = MissingCounters(input.devices);
  const std::vector<std::vector<size_t>> groups = PeerGroups(input.job);
  if (groups.size() == input.job.ranks.size()) {
    answer.missing.emplace_back("a second rank that does the same work as another");
    return answer;
  }
  if (input.devices.size() != input.job.ranks.size() || answer.missing.size() == 2) return answer;
  const Sampling sampling = SamplingOf(input, ExtentOf(input.devices));
  const bool is_sparse = sampling.period_ms > kLongestPeriodMs;
  if (is_sparse) {
    answer.missing.push_back(absl::StrFormat(
        "samples more often than every %d ms (at least every %d ms, to show problems of seconds)",
        sampling.period_ms, kLongestPeriodMs));
  }
  if (sampling.grid.count < kFewestBins) {
    answer.verdict = is_sparse ? StragglerVerdict::kUndersampled : StragglerVerdict::kNoData;
    if (!is_sparse) answer.missing.emplace_back("device samples for at least 13 s of the job");
    return answer;
  }
  // Problems that last for minutes also show in sparse samples if there are enough of them.
  const bool is_too_sparse = is_sparse && sampling.grid.count < kFewestSparseBins;
  FindByCounters(input, groups, sampling, answer);
  SetDeviceCost(input, answer);
  answer.verdict = !answer.ranks.empty() ? StragglerVerdict::kSlowRank
                   : is_too_sparse       ? StragglerVerdict::kUndersampled
                                         : StragglerVerdict::kNone;
  return answer;
}

}  // namespace lockstep::training
