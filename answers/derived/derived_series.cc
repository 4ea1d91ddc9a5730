// Computes derived metrics.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "answers/bottlenecks.h"
#include "answers/derived/derived_labels.h"
#include "answers/derived/derived_metrics.h"
#include "answers/derived/reported_mfu.h"
#include "answers/stragglers.h"
#include "answers/verdict.h"
#include "training/devices/gpu_catalogue.h"
#include "training/efficiency/efficiency.h"
#include "training/efficiency/ledger.h"
#include "training/episodes/excess.h"
#include "training/matrix/statistics.h"
#include "training/stragglers/own_time.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::answers {
namespace {

using training::RankMatrix;

constexpr int64_t kGridMs = 15'000;
// The states of lockstep_job_state, which has no samples for a job in an unknown state.
constexpr std::array kStates = {training::JobState::kRunning, training::JobState::kStalled,
                                training::JobState::kEnded, training::JobState::kCrashed};
constexpr int64_t kModelGridMs = 60'000;
// The last step of a job is shown for this long plus a few steps.
constexpr int64_t kShownAfterEndMs = 60'000;
constexpr double kShownSteps = 10;
constexpr int64_t kGoodputWindowMs = 300'000;
constexpr size_t kScoreSteps = 25;
constexpr int64_t kShortestVerdictMs = 60'000;
constexpr int64_t kPastVerdicts = 10;
// How long after its last data a job is shown as crashed or hanging.
constexpr int64_t kCrashShownMs = 3'600'000;
constexpr int64_t kHangShownMs = 7 * 24 * kCrashShownMs;
constexpr size_t kManyCells = 1'000'000;
constexpr size_t kFewestScoreSteps = 10;

// Sample times: the ends of steps.
std::vector<int64_t> GridOf(const LoadedJob& job) {
  if (job.steps.size() > 0) return job.steps.end_ms;
  std::vector<int64_t> times;
  const int64_t first_ms = (job.time.min_ms / kGridMs + 1) * kGridMs;
  for (int64_t at = first_ms; at <= job.time.max_ms; at += kGridMs) times.push_back(at);
  return times;
}

DerivedSeries SeriesOf(LabelSet labels, const std::vector<int64_t>& times,
                       std::span<const double> values) {
  DerivedSeries series{std::move(labels), {}};
  // One more for the marker at the end.
  series.samples.timestamps_ms.reserve(times.size() + 1);
  series.samples.values.reserve(times.size() + 1);
  for (size_t i = 0; i < times.size(); ++i) {
    // If two steps ended in the same millisecond, the first counts.
    const bool is_again =
        !series.samples.timestamps_ms.empty() && series.samples.timestamps_ms.back() >= times[i];
    if (!std::isnan(values[i]) && !is_again) series.samples.Append(times[i], values[i]);
  }
  return series;
}

std::vector<DerivedSeries> StepTimes(const LoadedJob& job) {
  return {SeriesOf(LabelsOfJob("lockstep_step_time_seconds", job.job.name, {}), job.steps.end_ms,
                   training::JobStepSeconds(job.steps))};
}

std::vector<DerivedSeries> TokenRates(const LoadedJob& job) {
  std::vector<double> rates = training::JobStepSeconds(job.steps);
  const double usual =
      static_cast<double>(job.facts.parallelism.global_batch) * job.facts.sequence_length;
  for (size_t n = 0; n < rates.size(); ++n) {
    const double tokens =
        job.steps.tokens.empty() ? usual : training::Median(job.steps.tokens.Column(n));
    rates[n] = tokens > 0 ? tokens / rates[n] : training::kUnknown;
  }
  return {SeriesOf(LabelsOfJob("lockstep_tokens_per_second", job.job.name, {}), job.steps.end_ms,
                   rates)};
}

std::vector<DerivedSeries> Mfus(const LoadedJob& job) {
  std::vector<DerivedSeries> all;
  if (job.steps.model_flops.empty() || job.steps.step_seconds.empty()) return all;
  std::vector<double> mfu(job.steps.size());
  for (size_t row = 0; row < job.job.ranks.size(); ++row) {
    const std::optional<double> peak = MfuPeakFlops(job.gpu_models[row]);
    if (!peak.has_value()) continue;
    for (size_t n = 0; n < mfu.size(); ++n) {
      mfu[n] = job.steps.model_flops(row, n) / job.steps.step_seconds(row, n) / *peak;
    }
    all.push_back(SeriesOf(MfuLabels(job.job.name, job.job.ranks[row]), job.steps.end_ms, mfu));
  }
  return all;
}

// Element n is the median of the known values among the last kScoreSteps up to n.
std::vector<double> TrailingMedians(std::span<const double> values) {
  std::vector<double> medians(values.size(), training::kUnknown);
  std::vector<double> known;   // at most kScoreSteps, in time order
  std::vector<double> sorted;  // the same values, sorted
  for (size_t n = 0; n < values.size(); ++n) {
    if (!std::isnan(values[n])) {
      known.push_back(values[n]);
      sorted.insert(std::ranges::upper_bound(sorted, values[n]), values[n]);
    }
    if (known.size() > kScoreSteps) {
      sorted.erase(std::ranges::lower_bound(sorted, known.front()));
      known.erase(known.begin());
    }
    const size_t half = sorted.size() / 2;
    if (known.size() < kFewestScoreSteps) continue;
    medians[n] = sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
  return medians;
}

std::vector<DerivedSeries> Scores(const LoadedJob& job) {
  std::vector<DerivedSeries> all;
  const training::OwnTime own = training::StrongestOwnTime(job.steps);
  if (own.seconds.empty()) return all;
  const std::vector<std::vector<size_t>> groups = training::PeerGroups(job.job);
  const RankMatrix lateness =
      training::ExcessOverPeers({own.seconds, groups, own.step_seconds},
                                training::RankMask(own.seconds.rows(), own.seconds.columns()));
  for (size_t row = 0; row < lateness.rows(); ++row) {
    all.push_back(
        SeriesOf(LabelsOfRank("lockstep_straggler_score", job.job.name, job.job.ranks[row], {}),
                 job.steps.end_ms, TrailingMedians(lateness.Row(row))));
  }
  return all;
}

std::vector<DerivedSeries> Stragglers(const LoadedJob& job,
                                      const training::StragglerAnswer& answer) {
  std::vector<DerivedSeries> all;
  const std::vector<int64_t> times = GridOf(job);
  for (const training::SlowRankFinding& finding : answer.ranks) {
    std::vector<double> is_late(times.size(), 0);
    for (const training::StragglerEpisode& episode : finding.episodes) {
      for (size_t i = 0; i < times.size(); ++i) {
        if (times[i] > episode.time.min_ms && times[i] <= episode.time.max_ms) is_late[i] = 1;
      }
    }
    all.push_back(
        SeriesOf(LabelsOfRank("lockstep_straggler", job.job.name, job.job.ranks[finding.row],
                              {{"cause", Name(finding.cause)}}),
                 times, is_late));
  }
  return all;
}

std::vector<DerivedSeries> NotReporting(const LoadedJob& job) {
  std::vector<DerivedSeries> all;
  for (const training::NotReportingRank& silent : job.not_reporting) {
    std::vector<double> is_silent(job.steps.size());
    for (size_t n = 0; n < is_silent.size(); ++n) {
      is_silent[n] = job.steps.end_ms[n] >= silent.since_ms ? 1 : 0;
    }
    all.push_back(SeriesOf(
        LabelsOfRank("lockstep_rank_not_reporting", job.job.name, job.job.ranks[silent.row], {}),
        job.steps.end_ms, is_silent));
  }
  return all;
}

std::vector<DerivedSeries> Bottlenecks(const LoadedJob& job) {
  using training::BottleneckClass;
  const training::BottleneckAnswer answer = FindBottlenecks(job);
  std::vector<int64_t> times;
  for (const training::ClassifiedWindow& window : answer.windows)
    times.push_back(window.time.max_ms);
  std::vector<DerivedSeries> all;
  std::vector<double> holds(times.size());
  for (size_t row = 0; row < job.job.ranks.size(); ++row) {
    std::set<BottleneckClass> classes;
    for (const auto& window : answer.windows) classes.insert(window.gpus[row].bottleneck);
    for (const BottleneckClass one : classes) {
      for (size_t i = 0; i < times.size(); ++i) {
        holds[i] = answer.windows[i].gpus[row].bottleneck == one ? 1 : 0;
      }
      all.push_back(SeriesOf(LabelsOfRank("lockstep_bottleneck", job.job.name, job.job.ranks[row],
                                          {{"class", Name(one)}}),
                             times, holds));
    }
  }
  return all;
}

// The times at which to compute the verdict: the end and, for graphs, some times before it. A
// verdict needs all other answers, so a large job gets one only at its end.
std::vector<int64_t> VerdictTimes(const LoadedJob& job) {
  const int64_t end_ms = job.time.max_ms;
  std::vector<int64_t> times = {end_ms};
  if (job.job.ranks.size() * job.steps.size() > kManyCells) return times;
  const int64_t distance_ms =
      std::max(kShortestVerdictMs, (end_ms - job.time.min_ms) / kPastVerdicts);
  for (int64_t at = end_ms - distance_ms; at > job.time.min_ms; at -= distance_ms) {
    times.push_back(at);
  }
  std::ranges::reverse(times);
  return times;
}

// Verdicts; each holds from its time until the next one.
struct VerdictHistory {
  std::vector<int64_t> from_ms;
  std::vector<training::JobVerdict> verdicts;
  int64_t until_ms = 0;
};

VerdictHistory HistoryOf(const LoadedJob& job, const JobEnding& ending) {
  using training::JobState;
  VerdictHistory history{VerdictTimes(job), {}, job.time.max_ms};
  for (const int64_t at : history.from_ms) {
    const bool is_end = at == job.time.max_ms;
    const std::span<const training::NotReportingRank> silent = job.not_reporting;
    history.verdicts.push_back(VerdictOf(job, at, is_end ? ending.state : JobState::kUnknown,
                                         is_end ? silent : silent.first(0), nullptr)
                                   .verdict);
  }
  int64_t shown_ms = 0;
  if (ending.state == JobState::kCrashed) shown_ms = kCrashShownMs;
  if (ending.state == JobState::kStalled) shown_ms = kHangShownMs;
  history.until_ms =
      std::max(history.until_ms, std::min(ending.now_ms, job.time.max_ms + shown_ms));
  return history;
}

std::vector<DerivedSeries> Verdicts(const LoadedJob& job, const VerdictHistory& history) {
  std::vector<DerivedSeries> all;
  const std::vector<int64_t>& begins = history.from_ms;
  for (const training::JobVerdict one :
       std::set(history.verdicts.begin(), history.verdicts.end())) {
    std::vector<int64_t> times;
    std::vector<double> holds;
    for (size_t i = 0; i < begins.size(); ++i) {
      const bool is_last = i + 1 == begins.size();
      const int64_t until_ms = is_last ? history.until_ms + 1 : begins[i + 1];
      // Every minute, so that the lookback of a query finds it.
      for (int64_t at = begins[i]; at < until_ms; at += kShortestVerdictMs) {
        times.push_back(at);
        holds.push_back(history.verdicts[i] == one ? 1 : 0);
      }
    }
    if (times.back() < history.until_ms) {
      times.push_back(history.until_ms);
      holds.push_back(holds.back());
    }
    all.push_back(SeriesOf(
        LabelsOfJob("lockstep_job_verdict", job.job.name, {{"verdict", Name(one)}}), times, holds));
  }
  return all;
}

std::vector<training::LedgerPoint> CourseOf(const LoadedJob& job) {
  const training::Attempt attempt{job.time, &job.steps, job.devices};
  // The first attempt begins before its first step, when the job gets its devices.
  TimeRange time = job.time;
  if (job.attempt == 0) time.min_ms = job.whole.min_ms;
  return training::LedgerCourseOf(job.job, time, {&attempt, 1});
}

std::vector<DerivedSeries> Goodputs(const LoadedJob& job) {
  const std::vector<training::LedgerPoint> course = CourseOf(job);
  const auto total = [](const training::LedgerPoint& point) {
    double sum = 0;
    for (const double seconds : point.gpu_seconds) sum += seconds;
    return sum;
  };
  const auto productive = static_cast<size_t>(training::LedgerBin::kProductive);
  std::vector<int64_t> times;
  std::vector<double> ratios;
  size_t before = 0;
  for (size_t n = 1; n < course.size(); ++n) {
    while (course[before].time_ms < course[n].time_ms - kGoodputWindowMs) ++before;
    const size_t from = before < n ? before : n - 1;
    times.push_back(course[n].time_ms);
    ratios.push_back((course[n].gpu_seconds[productive] - course[from].gpu_seconds[productive]) /
                     (total(course[n]) - total(course[from])));
  }
  return {SeriesOf(LabelsOfJob("lockstep_goodput_ratio", job.job.name, {}), times, ratios)};
}

std::vector<DerivedSeries> Wasted(const LoadedJob& job) {
  const std::vector<training::LedgerPoint> course = CourseOf(job);
  std::vector<int64_t> times;
  for (const training::LedgerPoint& point : course) times.push_back(point.time_ms);
  std::vector<DerivedSeries> all;
  std::vector<double> seconds(course.size());
  for (size_t bin = 0; bin < training::kLedgerBinCount; ++bin) {
    const auto one = static_cast<training::LedgerBin>(bin);
    if (one == training::LedgerBin::kProductive) continue;
    for (size_t n = 0; n < course.size(); ++n) seconds[n] = course[n].gpu_seconds[bin];
    if (course.empty() || seconds.back() <= 0) continue;
    all.push_back(
        SeriesOf(LabelsOfJob("lockstep_wasted_gpu_seconds", job.job.name, {{"bin", Name(one)}}),
                 times, seconds));
  }
  return all;
}

std::vector<DerivedSeries> Computed(DerivedMetric metric, const LoadedJob& job) {
  switch (metric) {
    case DerivedMetric::kStepTime:
      return StepTimes(job);
    case DerivedMetric::kTokensPerSecond:
      return TokenRates(job);
    case DerivedMetric::kMfu:
      return Mfus(job);
    case DerivedMetric::kStragglerScore:
      return Scores(job);
    case DerivedMetric::kStraggler:
      return Stragglers(job, FindStragglers(job, {}, nullptr));
    case DerivedMetric::kRankNotReporting:
      return NotReporting(job);
    case DerivedMetric::kBottleneck:
      return Bottlenecks(job);
    case DerivedMetric::kGoodputRatio:
      return Goodputs(job);
    case DerivedMetric::kWastedGpuSeconds:
      return Wasted(job);
    default:
      return {};
  }
}

}  // namespace

namespace {

std::vector<DerivedSeries> Ended(std::vector<DerivedSeries> all, const LoadedJob& job) {
  std::erase_if(all, [](const DerivedSeries& series) { return series.samples.size() == 0; });
  // The lookback of a query must not show a job or an attempt that is over. All ranks have the same
  // step time.
  const RankMatrix& seconds = job.steps.step_seconds;
  const double step_seconds =
      seconds.empty() ? training::kUnknown : training::Median(seconds.Row(0));
  const int64_t shown_ms =
      kShownAfterEndMs +
      (std::isnan(step_seconds) ? 0 : std::llround(kShownSteps * 1000 * step_seconds));
  for (DerivedSeries& series : all) {
    const int64_t last_ms = std::max(series.samples.timestamps_ms.back(), job.time.max_ms);
    if (job.exit_ms.has_value()) {
      series.samples.Append(std::max(last_ms + 1, *job.exit_ms), StaleNan());
    } else {
      series.samples.Append(std::max(last_ms, job.newest_ms) + shown_ms, StaleNan());
    }
  }
  return all;
}

}  // namespace

std::vector<DerivedSeries> DerivedSeriesOf(DerivedMetric metric, const LoadedJob& job) {
  return Ended(Computed(metric, job), job);
}

std::vector<DerivedSeries> DerivedSeriesOf(DerivedMetric metric, const LoadedJob& job,
                                           const training::StragglerAnswer& stragglers) {
  return Ended(
      metric == DerivedMetric::kStraggler ? Stragglers(job, stragglers) : NotReporting(job), job);
}

std::vector<DerivedSeries> DerivedSeriesOfVerdict(const LoadedJob& job, const JobEnding& ending) {
  const VerdictHistory history = HistoryOf(job, ending);
  std::vector<DerivedSeries> all = Verdicts(job, history);
  return history.until_ms > job.time.max_ms ? all : Ended(std::move(all), job);
}

int64_t MostStateSamples(const TimeRange& time) {
  const int64_t moments = (time.max_ms - time.min_ms) / kGridMs + 2;
  return moments * static_cast<int64_t>(kStates.size());
}

std::vector<DerivedSeries> DerivedSeriesOfState(const ListedJob& job, const TimeRange& time) {
  std::vector<DerivedSeries> all;
  using training::JobState;
  for (const JobState state : kStates) {
    all.push_back({LabelsOfJob("lockstep_job_state", job.job.name, {{"state", Name(state)}}), {}});
  }
  // Always include the end of the range, whatever the grid.
  for (int64_t at = time.min_ms; at <= time.max_ms; at += kGridMs) {
    if (at + kGridMs > time.max_ms) at = time.max_ms;
    const JobState now = ConditionAt(job, at).state;
    if (now == JobState::kUnknown) continue;
    for (size_t i = 0; i < kStates.size(); ++i) {
      all[i].samples.Append(at, kStates[i] == now ? 1 : 0);
    }
  }
  std::erase_if(all, [](const DerivedSeries& series) { return series.samples.size() == 0; });
  return all;
}

std::vector<DerivedSeries> DerivedSeriesOfModels(DerivedMetric metric, const TimeRange& time) {
  std::vector<int64_t> times;
  const int64_t first_ms = (time.min_ms + kModelGridMs - 1) / kModelGridMs * kModelGridMs;
  for (int64_t at = first_ms; at <= time.max_ms; at += kModelGridMs) times.push_back(at);
  std::vector<DerivedSeries> all;
  const auto add = [&](LabelSet labels, double value) {
    all.push_back(SeriesOf(std::move(labels), times, std::vector<double>(times.size(), value)));
  };
  for (const training::GpuModel& model : training::AllGpuModels()) {
    if (metric == DerivedMetric::kGpuMemoryBandwidth) {
      add(LabelSet::Of({{kMetricName, "lockstep_gpu_memory_bandwidth_bytes_per_second"},
                        {"model", model.id}}),
          model.memory_bytes_per_s);
      continue;
    }
    for (size_t i = 0; i < training::kPrecisionCount; ++i) {
      const auto precision = static_cast<training::Precision>(i);
      const auto peak = model.PeakFlops(precision);
      if (!peak.has_value()) continue;
      add(LabelSet::Of({{kMetricName, "lockstep_gpu_peak_flops"},
                        {"model", model.id},
                        {"dtype", Name(precision)}}),
          *peak);
    }
  }
  return all;
}

}  // namespace lockstep::answers
