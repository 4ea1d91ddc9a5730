// Events of a job: spikes, hangs, leaks, device reports, and what was annotated.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "annotations/annotation_store.h"
#include "answers/load/loaded_job.h"
#include "answers/question.h"
#include "training/events/events.h"

namespace lockstep::answers {

struct JobEvents {
  Subject subject;
  std::vector<training::Event> events;  // in time order
  training::Confidence confidence;
  std::vector<annotations::AnnotationPtr> annotations{};  // by start
  int64_t now_ms = 0;  // until when an annotation without an end lasts
};

JobNeeds EventNeeds();

// A job that has not ended by `now_ms` may have stalled. `job` was loaded with EventNeeds().
JobEvents EventsOf(const LoadedJob& job, int64_t now_ms);

// The latest annotations of the job that overlap `asked` and the time from the end of the previous
// attempt to the begin of the next one, because attempts are started and ended by people.
std::vector<annotations::AnnotationPtr> AnnotationsOf(const LoadedJob& job, const TimeRange& asked,
                                                      const QuestionContext& context);

absl::StatusOr<JobEvents> AnswerEvents(const JobQuestion& question, const QuestionContext& context);

}  // namespace lockstep::answers
