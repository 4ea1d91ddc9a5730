#include "answers/derived/derived_metrics.h"

#include <algorithm>
#include <array>

#include "answers/verdict.h"

namespace lockstep::answers {
namespace {

using enum DerivedMetric;

constexpr int64_t kMinuteMs = 60'000;

constexpr std::array kMetrics = {
    DerivedMetricInfo{kAnnotation, "lockstep_annotation", "gauge", "",
                      "1 while an annotation lasts, or for a quarter of a minute for a moment."},
    DerivedMetricInfo{
        kBottleneck, "lockstep_bottleneck", "gauge", "",
        "1 for the class that bounds the GPU, 0 for its earlier classes, per 5 s window."},
    DerivedMetricInfo{kGoodputRatio, "lockstep_goodput_ratio", "gauge", "ratio",
                      "Productive share of the job's GPU time in the last five minutes."},
    DerivedMetricInfo{kGpuMemoryBandwidth, "lockstep_gpu_memory_bandwidth_bytes_per_second",
                      "gauge", "bytes/s", "Peak memory bandwidth of a GPU model."},
    DerivedMetricInfo{kGpuPeakFlops, "lockstep_gpu_peak_flops", "gauge", "FLOP/s",
                      "Peak dense operations per second of a GPU model."},
    DerivedMetricInfo{kJobState, "lockstep_job_state", "gauge", "",
                      "1 for the current state of the job, 0 for the others: running, stalled, "
                      "ended, crashed."},
    DerivedMetricInfo{kJobVerdict, "lockstep_job_verdict", "gauge", "",
                      "1 while this is the job's verdict (the worst that applies), 0 before and "
                      "after."},
    DerivedMetricInfo{kMfu, "lockstep_mfu", "gauge", "ratio",
                      "Model FLOP/s of a rank over the dense bf16 peak of its GPU, per step."},
    DerivedMetricInfo{kRankNotReporting, "lockstep_rank_not_reporting", "gauge", "",
                      "1 for a rank that has stopped sending steps while others still do."},
    DerivedMetricInfo{kStepTime, "lockstep_step_time_seconds", "gauge", "seconds",
                      "Duration of each step, median over ranks."},
    DerivedMetricInfo{kStraggler, "lockstep_straggler", "gauge", "",
                      "1 while the rank holds its job back, 0 before and after."},
    DerivedMetricInfo{kStragglerScore, "lockstep_straggler_score", "gauge", "ratio",
                      "How much longer a rank works than its peers, as a share of the step; median "
                      "over 25 steps."},
    DerivedMetricInfo{kTokensPerSecond, "lockstep_tokens_per_second", "gauge", "tokens/s",
                      "Tokens per second of the job, per step."},
    DerivedMetricInfo{kWastedGpuSeconds, "lockstep_wasted_gpu_seconds", "counter", "seconds",
                      "GPU-seconds of the job since it began, by ledger bin."},
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
  return metric != kGpuPeakFlops && metric != kGpuMemoryBandwidth && metric != kAnnotation;
}

bool IsOfAnnotations(DerivedMetric metric) { return metric == kAnnotation; }

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
  if (is_of_ledger) needs.devices = CountersOfClasses();
  needs.links = metric == kStraggler;
  // Metrics that do not compare ranks are known for a step as soon as some ranks report it.
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
