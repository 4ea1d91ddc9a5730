#include "answers/parallelism.h"

#include <cstdint>

#include "answers/load/job_loader.h"
#include "base/status.h"

namespace lockstep::answers {

absl::StatusOr<JobParallelism> AnswerParallelism(const ParallelismQuestion& question,
                                                 const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const LoadedJob job, LoadJob(question.job, {.phases = true}, context));
  return JobParallelism{
      .subject = SubjectOf(job),
      .parts = job.facts.parallelism,
      .answer = training::FindGroupTimes(job.job, job.steps, job.facts.parallelism,
                                         static_cast<int64_t>(question.interleave), &context.pool)};
}

}  // namespace lockstep::answers
