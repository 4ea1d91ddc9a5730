#include "answers/question.h"

#include <algorithm>

#include "answers/load/job_loader.h"
#include "base/status.h"
#include "storage/storage.h"

namespace lockstep::answers {

JobQuery QueryOf(const JobQuestion& question, const JobNeeds& needs, int64_t now_ms) {
  return {.name = question.name,
          .time = question.time,
          .attempt = question.attempt,
          .needs = needs,
          .now_ms = std::min(question.time.max_ms, now_ms)};
}

Subject SubjectOf(const LoadedJob& job) { return {job.job, job.attempt, job.time}; }

absl::StatusOr<LoadedJob> LoadJob(const JobQuestion& question, const JobNeeds& needs,
                                  const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  return LoadJob(QueryOf(question, needs, context.now_ms),
                 {*querier, context.pool, context.budget});
}

absl::StatusOr<std::vector<LoadedJob>> LoadAttempts(const JobQuestion& question,
                                                    const JobNeeds& needs,
                                                    const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto querier, context.storage.NewQuerier());
  return LoadAttempts(QueryOf(question, needs, context.now_ms),
                      {*querier, context.pool, context.budget});
}

}  // namespace lockstep::answers
