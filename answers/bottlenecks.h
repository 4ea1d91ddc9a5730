// What bounds each GPU of a job.
#pragma once

#include "absl/status/statusor.h"
#include "answers/load/loaded_job.h"
#include "answers/question.h"
#include "training/bottlenecks/bottlenecks.h"

namespace lockstep::answers {

struct JobBottlenecks {
  Subject subject;
  training::BottleneckAnswer answer;
};

JobNeeds BottleneckNeeds();

// `job` was loaded with BottleneckNeeds().
training::BottleneckAnswer FindBottlenecks(const LoadedJob& job);

absl::StatusOr<JobBottlenecks> AnswerBottlenecks(const JobQuestion& question,
                                                 const QuestionContext& context);

}  // namespace lockstep::answers
