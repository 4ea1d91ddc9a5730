// Derived metrics: series that nobody wrote, computed from a job's stored ones when they are asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "answers/job_list.h"
#include "answers/loaded_job.h"
#include "model/labels.h"
#include "model/sample.h"
#include "training/stragglers.h"

namespace lockstep::answers {

enum class DerivedMetric : uint8_t {
  kStepTime,
  kTokensPerSecond,
  kMfu,
  kStragglerScore,
  kStraggler,
  kBottleneck,
  kGoodputRatio,
  kJobState,
  kRankNotReporting,
  kWastedGpuSeconds,
  kGpuPeakFlops,
  kGpuMemoryBandwidth,
  kJobVerdict,
};

struct DerivedMetricInfo {
  DerivedMetric metric;
  std::string_view name;
  std::string_view type;  // as in metadata: "gauge", "counter"
  std::string_view unit;
  std::string_view help;
};

// How all of their names begin.
inline constexpr std::string_view kDerivedPrefix = "lockstep_";

// In the order of their names.
std::span<const DerivedMetricInfo> AllDerivedMetrics();
std::optional<DerivedMetric> DerivedMetricNamed(std::string_view name);
// Whether a query's text has the name of one in it, or a regular expression that may be of their names.
bool MentionsDerivedMetric(std::string_view query);

// What it is computed from.
JobNeeds NeedsOf(DerivedMetric metric);
// Whether it is told by ListJobs(), not by a loaded job.
bool IsOfJobList(DerivedMetric metric);
// Whether it says what a StragglerAnswer and the frontier say.
bool IsOfStragglers(DerivedMetric metric);
// How much of a job before a time is needed to know the metric at that time. The whole of it: kAllOfIt.
inline constexpr int64_t kAllOfItMs = -1;
int64_t ContextMs(DerivedMetric metric);
// Whether it is of jobs, not of models of devices.
bool IsOfJobs(DerivedMetric metric);

// How a job is at the end of what is loaded of it.
struct JobEnding {
  training::JobState state = training::JobState::kUnknown;
  int64_t now_ms = 0;  // the verdict about a job that crashed or hangs holds until then
};

struct DerivedSeries {
  LabelSet labels;
  SampleColumns samples;
};

// How many samples DerivedSeriesOfState makes of a job at most.
int64_t MostStateSamples(const TimeRange& time);
// lockstep_job_state of one job: 1 for its state and 0 for the others, every 15 s of `time` and at its
// end. Precondition: `job` was listed with `time` as its past.
std::vector<DerivedSeries> DerivedSeriesOfState(const ListedJob& job, const TimeRange& time);
// Of one job; samples are as far apart as its steps, or 15 s where none are known. Precondition: IsOfJobs(metric),
// and `job` was loaded with NeedsOf(metric).
std::vector<DerivedSeries> DerivedSeriesOf(DerivedMetric metric, const LoadedJob& job);
// The same for a job whose stragglers are known. Precondition: IsOfStragglers(metric).
std::vector<DerivedSeries> DerivedSeriesOf(DerivedMetric metric, const LoadedJob& job,
                                           const training::StragglerAnswer& stragglers);
// lockstep_job_verdict of one attempt, loaded with VerdictNeeds().
std::vector<DerivedSeries> DerivedSeriesOfVerdict(const LoadedJob& job, const JobEnding& ending);
// Of the catalogue, a sample a minute. Precondition: !IsOfJobs(metric).
std::vector<DerivedSeries> DerivedSeriesOfModels(DerivedMetric metric, const TimeRange& time);

}  // namespace lockstep::answers
