#include "answers/bottlenecks.h"

#include "base/status.h"

namespace lockstep::answers {

JobNeeds BottleneckNeeds() {
  JobNeeds needs{.phases = true, .operations = true};
  needs.devices.set();
  return needs;
}

training::BottleneckAnswer FindBottlenecks(const LoadedJob& job) {
  return training::FindBottlenecks({job.job, job.steps, job.devices, job.facts.world_size});
}

absl::StatusOr<JobBottlenecks> AnswerBottlenecks(const JobQuestion& question,
                                                 const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const LoadedJob job, LoadJob(question, BottleneckNeeds(), context));
  return JobBottlenecks{SubjectOf(job), FindBottlenecks(job)};
}

}  // namespace lockstep::answers
