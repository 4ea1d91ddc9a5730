// Compares jobs at equal steps, tokens or time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/question.h"
#include "training/comparison.h"

namespace lockstep::answers {

struct ComparisonQuestion {
  std::vector<std::string> runs;  // names of jobs, at least one
  TimeRange time = kAllTimes;
  training::ComparisonAxis axis = training::ComparisonAxis::kStep;
  size_t points = 500;  // at least 1
};

// Compares the last attempt of each run with that of the first run, at about `points` points of the
// axis.
absl::StatusOr<training::Comparison> AnswerComparison(const ComparisonQuestion& question,
                                                      const QuestionContext& context);

}  // namespace lockstep::answers
