// The GPUs and hosts that are slow in job after job, over all jobs of a time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/question.h"
#include "model/sample.h"
#include "training/fleet/job_lateness.h"
#include "training/fleet/lemons.h"

namespace lockstep::answers {

struct LemonQuestion {
  TimeRange time = kAllTimes;  // attempts that lie in it count
};

struct FleetLemons {
  TimeRange time = {};                              // of the jobs that were compared
  std::vector<training::JobLateness> history = {};  // LemonEvidence::job is an index of it
  training::LemonAnswer answer = {};
  // Attempts that say nothing of their devices.
  size_t running_count = 0;  // not ended yet
  // Without four peers, or 20 steps with own times, or too large for a query.
  size_t incomparable_count = 0;
};

absl::StatusOr<FleetLemons> AnswerLemons(const LemonQuestion& question,
                                         const QuestionContext& context);

// "late by 2.1 % in 9 jobs, the slowest of its peers in 7 of them; by chance, ..."
std::string WordsOf(const training::Lemon& lemon);

}  // namespace lockstep::answers
