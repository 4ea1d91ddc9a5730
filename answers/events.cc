#include "answers/events.h"

#include "base/status.h"

namespace lockstep::answers {

JobNeeds EventNeeds() { return JobNeeds::Everything(); }

JobEvents EventsOf(const LoadedJob& job, int64_t now_ms) {
  training::EventInput input{job.job, job.steps, job.devices, {}};
  // The job has not ended while its devices report counters, which happens at least once a minute.
  constexpr int64_t kStillRunsMs = 60'000;
  if (job.time.max_ms + kStillRunsMs >= now_ms) input.now_ms = now_ms;
  return {SubjectOf(job), training::FindEvents(input),
          training::ConfidenceOfEvents({job.job, job.steps, job.devices, {}})};
}

absl::StatusOr<JobEvents> AnswerEvents(const JobQuestion& question,
                                       const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const LoadedJob job, LoadJob(question, EventNeeds(), context));
  return EventsOf(job, context.now_ms);
}

}  // namespace lockstep::answers
