// Computes the verdict of a job from its stored data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load/job_list.h"
#include "answers/load/load_context.h"
#include "answers/load/loaded_job.h"
#include "answers/question.h"
#include "training/job_verdict.h"

namespace lockstep::answers {

// A verdict describes the present, so it covers only the last hour of a job.
inline constexpr int64_t kVerdictWindowMs = 3'600'000;

// How far back the steps of a verdict reach: an hour, or for a large job, the time of the latest
// two million ranks x steps, but at least 128 steps. `usual_step_seconds` may be unknown.
int64_t VerdictWindowMs(size_t rank_count, double usual_step_seconds);

JobNeeds VerdictNeeds();

// The verdict as of `end_ms`; ignores later data. `state` and the ranks that do not report must be
// as of that time. `job` must have been loaded with VerdictNeeds() for at least the
// kVerdictWindowMs before. `pool` may be null.
training::JobVerdictAnswer VerdictOf(const LoadedJob& job, int64_t end_ms, training::JobState state,
                                     std::span<const training::NotReportingRank> not_reporting,
                                     TaskPool* pool);

// Like ListJobs(), with the verdicts as of JobListQuery::now_ms of the first kMostJudged jobs,
// unless the query excludes them.
inline constexpr size_t kMostJudged = 100;
absl::StatusOr<std::vector<ListedJob>> ListJudgedJobs(const JobListQuery& query,
                                                      const LoadContext& context);
absl::StatusOr<std::vector<ListedJob>> AnswerJobs(const JobListQuery& question,
                                                  const QuestionContext& context);

}  // namespace lockstep::answers
