#include "answers/events.h"

#include <algorithm>

#include "base/status.h"

namespace lockstep::answers {

JobNeeds EventNeeds() { return JobNeeds::Everything(); }

JobEvents EventsOf(const LoadedJob& job, int64_t now_ms) {
  training::EventInput input{job.job, job.steps, job.devices, {}};
  // The job has not ended while its devices report counters, which happens at least once a minute.
  constexpr int64_t kStillRunsMs = 60'000;
  if (job.time.max_ms + kStillRunsMs >= now_ms) input.now_ms = now_ms;
  return {SubjectOf(job),
          training::FindEvents(input),
          training::ConfidenceOfEvents({job.job, job.steps, job.devices, {}}),
          {},
          now_ms};
}

std::vector<annotations::AnnotationPtr> AnnotationsOf(const LoadedJob& job, const TimeRange& asked,
                                                      const QuestionContext& context) {
  // More marks than this are not told apart.
  constexpr size_t kMostAnnotations = 1000;
  if (!context.annotations) return {};
  annotations::AnnotationFilter filter;
  filter.time = asked;
  filter.job = job.job.name;
  filter.max_count = kMostAnnotations;
  if (job.attempt > 0) {
    const int64_t previous_end_ms = job.attempts[job.attempt - 1].time.max_ms;
    filter.time.min_ms = std::max(filter.time.min_ms, previous_end_ms);
  }
  if (job.attempt + 1 < job.attempts.size()) {
    const int64_t next_begin_ms = job.attempts[job.attempt + 1].time.min_ms;
    filter.time.max_ms = std::min(filter.time.max_ms, next_begin_ms);
  }
  return context.annotations(filter).annotations;
}

absl::StatusOr<JobEvents> AnswerEvents(const JobQuestion& question,
                                       const QuestionContext& context) {
  LOCKSTEP_ASSIGN_OR_RETURN(const LoadedJob job, LoadJob(question, EventNeeds(), context));
  JobEvents events = EventsOf(job, context.now_ms);
  events.annotations = AnnotationsOf(job, question.time, context);
  return events;
}

}  // namespace lockstep::answers
