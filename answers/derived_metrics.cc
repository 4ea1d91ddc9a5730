#include "answers/derived_metrics.h"

#include <algorithm>
#include <array>

#include "answers/verdict.h"
#include "training/bottlenecks.h"

namespace lockstep::answers {
namespace {

using enum DerivedMetric;

constexpr int64_t kMinuteMs = 60'000;

constexpr std::array kMetrics = {
    DerivedMetricInfo{
        kBottleneck, "lockstep_bottleneck", "gauge", "",
        "1 for the class that bounds the GPU, 0 for others it had, by windows of 5 s."},
    DerivedMetricInfo{kGoodputRatio, "lockstep_goodput_ratio", "gauge", "ratio",
                      "Productive share of the job's GPU time in the last five minutes."},
    DerivedMetricInfo{kGpuMemoryBandwidth, "lockstep_gpu_memory_bandwidth_bytes_per_second",
                      "gauge", "bytes/s", "What the memory of a model of GPU can do at most."},
    DerivedMetricInfo{kGpuPeakFlops, "lockstep_gpu_peak_flops", "gauge", "FLOP/s",
                      "Dense operations per second that a model of GPU can do at most."},
    DerivedMetricInfo{kJobState, "lockstep_job_state", "gauge", "",
                      "1 for the state that the job is in, 0 for the others: running, stalled, "
                      "ended, crashed."},
    DerivedMetricInfo{kJobVerdict, "lockstep_job_verdict", "gauge", "",
                      "1 while this is the verdict about the job, the worst of what holds; 0 "
                      "before and after."},
    DerivedMetricInfo{kMfu, "lockstep_mfu", "gauge", "ratio",
                      "Model FLOP/s of a rank over the dense bf16 peak of its GPU, by steps."},
    DerivedMetricInfo{kRankNotReporting, "lockstep_rank_not_reporting", "gauge", "",
                      "1 for a rank that has sent no steps for long while others do."},
    DerivedMetricInfo{kStepTime, "lockstep_step_time_seconds", "gauge", "seconds",
                      "How long each step took, the median of ranks."},
    DerivedMetricInfo{kStraggler, "lockstep_straggler", "gauge", "",
                      "1 while the rank holds its job back, 0 before and after."},
    DerivedMetricInfo{kStragglerScore, "lockstep_straggler_score", "gauge", "ratio",
                      "How much longer than its peers a rank works, as a share of a step; median "
                      "of 25 steps."},
    DerivedMetricInfo{kTokensPerSecond, "lockstep_tokens_per_second", "gauge", "tokens/s",
                      "Tokens of the job per second, by steps."},
    DerivedMetricInfo{
        kWastedGpuSeconds, "lockstep_wasted_gpu_seconds", "counter", "seconds",
        "GPU-seconds of the job since it began, by the bin of the ledger they went to."},
};

}  // namespace

std::span<const DerivedMetricInfo> AllDerivedMetrics() { return kMetrics; }

std::optional<DerivedMetric> DerivedMetricNamed(std::string_view name) {
  const auto found = std::ranges::find(kMetrics, name, &DerivedMetricInfo::name);
  if (found == kMetrics.end()) return std::nullopt;
  return found->metric;
}

bool MentionsDerivedMetric(std::string_view query) {
  constexpr std::string_view kRegex = "=~";
  for (size_t at = query.find(kRegex); at != query.npos; at = query.find(kRegex, at + 1)) {
    const size_t quote = query.find_first_of("\"'`", at);
    if (quote != query.npos && query.substr(quote + 1).starts_with(kDerivedPrefix)) return true;
  }
  return std::ranges::any_of(kMetrics, [query](const DerivedMetricInfo& info) {
    return query.find(info.name) != query.npos;
  });
}

bool IsOfJobs(DerivedMetric metric) {
  return metric != kGpuPeakFlops && metric != kGpuMemoryBandwidth;
}

bool IsOfJobList(DerivedMetric metric) { return metric == kJobState; }

bool IsOfStragglers(DerivedMetric metric) {
  return metric == kStraggler || metric == kRankNotReporting;
}

JobNeeds NeedsOf(DerivedMetric metric) {
  if (metric == kJobVerdict) return VerdictNeeds();
  JobNeeds needs;
  needs.job_steps = metric != kMfu;
  needs.phases = metric == kStragglerScore || metric == kStraggler || metric == kGoodputRatio ||
                 metric == kWastedGpuSeconds;
  const bool is_of_ledger = metric == kGoodputRatio || metric == kWastedGpuSeconds;
  needs.operations = metric == kMfu || metric == kTokensPerSecond || is_of_ledger;
  if (metric == kBottleneck || metric == kStraggler) needs.devices.set();
  if (is_of_ledger) {
    for (const training::DeviceCounter counter : training::CountersOfClasses()) {
      needs.devices.set(static_cast<size_t>(counter));
    }
  }
  needs.links = metric == kStraggler;
  // What does not compare ranks is known of a step as soon as some of them report it.
  needs.beyond_frontier = metric == kStepTime || metric == kTokensPerSecond || metric == kMfu;
  return needs;
}

int64_t ContextMs(DerivedMetric metric) {
  switch (metric) {
    case kStragglerScore:
    case kGoodputRatio:
      return 10 * kMinuteMs;
    case kStraggler:
      return 60 * kMinuteMs;
    case kJobVerdict:
      return kVerdictWindowMs;
    case kBottleneck:
      return kMinuteMs;
    case kJobState:
    case kRankNotReporting:
      return 60 * kMinuteMs;
    case kWastedGpuSeconds:
      return kAllOfItMs;
    default:
      return 0;
  }
}

}  // namespace lockstep::answers
