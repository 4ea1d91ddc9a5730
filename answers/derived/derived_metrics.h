// Derived metrics: series that are not stored but computed from a job's stored series at query
// time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "answers/load/job_list.h"
#include "answers/load/loaded_job.h"
#include "model/labels.h"
#include "model/sample.h"
#include "training/stragglers/stragglers.h"

namespace lockstep::answers {

enum class DerivedMetric : uint8_t {
  kAnnotation,
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

// The common prefix of all their names.
inline constexpr std::string_view kDerivedPrefix = "lockstep_";

// Sorted by name.
std::span<const DerivedMetricInfo> AllDerivedMetrics();
std::optional<DerivedMetric> DerivedMetricNamed(std::string_view name);
// Whether the text of a query contains the name of a derived metric or a regular expression that
// may match one.
bool MentionsDerivedMetric(std::string_view query);

// The data that the metric is computed from.
JobNeeds NeedsOf(DerivedMetric metric);
// Whether it is computed from ListJobs() rather than from a loaded job.
bool IsOfJobList(DerivedMetric metric);
// Whether it shows annotations rather than stored series.
bool IsOfAnnotations(DerivedMetric metric);
// Whether it is computed from a StragglerAnswer and the frontier.
bool IsOfStragglers(DerivedMetric metric);
// How much of a job before a time is needed to compute the metric at that time; kAllOfItMs for all
// of it.
inline constexpr int64_t kAllOfItMs = -1;
int64_t ContextMs(DerivedMetric metric);
// Whether it describes jobs rather than device models.
bool IsOfJobs(DerivedMetric metric);

// The state of a job at the end of its loaded data.
struct JobEnding {
  training::JobState state = training::JobState::kUnknown;
  int64_t now_ms = 0;  // until when the verdict of a crashed or hanging job holds
};

struct DerivedSeries {
  LabelSet labels;
  SampleColumns samples;
};

// The maximum number of samples that DerivedSeriesOfState() makes for a job.
int64_t MostStateSamples(const TimeRange& time);
// lockstep_job_state of one job: 1 for its state and 0 for the others, every 15 s in `time` and at
// its end. Precondition: `job` was listed with JobListQuery::past set to `time`.
std::vector<DerivedSeries> DerivedSeriesOfState(const ListedJob& job, const TimeRange& time);
// Series of one job, with a sample per step, or every 15 s if steps are unknown. Precondition:
// IsOfJobs(metric), and `job` was loaded with NeedsOf(metric).
std::vector<DerivedSeries> DerivedSeriesOf(DerivedMetric metric, const LoadedJob& job);
// The same for a job with known stragglers. Precondition: IsOfStragglers(metric).
std::vector<DerivedSeries> DerivedSeriesOf(DerivedMetric metric, const LoadedJob& job,
                                           const training::StragglerAnswer& stragglers);
// lockstep_job_verdict of one attempt, loaded with VerdictNeeds().
std::vector<DerivedSeries> DerivedSeriesOfVerdict(const LoadedJob& job, const JobEnding& ending);
// Series from the GPU catalogue, with a sample per minute. Precondition: !IsOfJobs(metric).
std::vector<DerivedSeries> DerivedSeriesOfModels(DerivedMetric metric, const TimeRange& time);

}  // namespace lockstep::answers
