// Where a job's parallel groups lose time.
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "answers/question.h"
#include "training/job/discovery.h"
#include "training/parallelism/pipeline.h"

namespace lockstep::answers {

struct ParallelismQuestion {
  JobQuestion job;
  size_t interleave = 1;  // model chunks of each pipeline stage
};

struct JobParallelism {
  Subject subject;
  training::Parallelism parts = {};
  training::ParallelismAnswer answer = {};
};

absl::StatusOr<JobParallelism> AnswerParallelism(const ParallelismQuestion& question,
                                                 const QuestionContext& context);

}  // namespace lockstep::answers
