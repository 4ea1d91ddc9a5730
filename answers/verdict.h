// The one verdict about a job, from what is stored of it.
#pragma once

#include <cstdint>
#include <span>

#include "absl/status/statusor.h"
#include "answers/job_list.h"
#include "answers/load_context.h"
#include "answers/loaded_job.h"
#include "training/job_verdict.h"

namespace lockstep::answers {

// A verdict is about now: it looks at the last hour of a job, wherever it is shown.
inline constexpr int64_t kVerdictWindowMs = 3'600'000;

// How far back the steps of a verdict reach at most: an hour, or less of a large job, of which the latest two million ranks x
// steps are judged, and at least 128 steps. `usual_step_seconds` may be unknown.
int64_t VerdictWindowMs(size_t rank_count, double usual_step_seconds);

JobNeeds VerdictNeeds();

// As of `end_ms`: later data do not count. `state` and the ranks that do not report are those of
// that time. `job` was loaded with VerdictNeeds(), for at least kVerdictWindowMs before. `pool` may be
// null.
training::JobVerdictAnswer VerdictOf(const LoadedJob& job, int64_t end_ms, training::JobState state,
                                     std::span<const training::NotReportingRank> not_reporting,
                                     TaskPool* pool);

// Sets the verdicts of the first kMostJudged jobs that ListJobs found for `asked`, as of its
// `now_ms`; a list of more shows the others without one. Errors are those of the budget and of the
// store.
inline constexpr size_t kMostJudged = 100;
absl::Status Judge(std::span<ListedJob> jobs, const JobListQuery& asked,
                   const LoadContext& context);

}  // namespace lockstep::answers
