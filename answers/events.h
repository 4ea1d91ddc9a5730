// Events of a job: spikes, hangs, leaks, and device reports.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load/loaded_job.h"
#include "answers/question.h"
#include "training/events/events.h"

namespace lockstep::answers {

struct JobEvents {
  Subject subject;
  std::vector<training::Event> events;  // in time order
  training::Confidence confidence;
};

JobNeeds EventNeeds();

// A job that has not ended by `now_ms` may have stalled. `job` was loaded with EventNeeds().
JobEvents EventsOf(const LoadedJob& job, int64_t now_ms);

absl::StatusOr<JobEvents> AnswerEvents(const JobQuestion& question, const QuestionContext& context);

}  // namespace lockstep::answers
