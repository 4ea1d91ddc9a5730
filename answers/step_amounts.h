// What stored counters and rates amount to in each step of a job.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/question.h"
#include "answers/steps.h"
#include "model/labels.h"
#include "model/matcher.h"
#include "training/devices/step_amounts.h"

namespace lockstep::answers {

struct StepAmountsQuestion {
  std::span<const Matcher> matchers;  // of the series; all must match
  training::Measured measured = training::Measured::kCounter;
  int64_t longest_gap_ms = 0;  // see training::AmountsIn()
  bool in_role_units = false;  // of series whose metric name has a role
};

struct SeriesAmounts {
  LabelSet labels;
  std::vector<double> amounts;  // one per point; unknown where the samples do not say
};

// kInvalidArgument if the catalogue knows that a metric is measured otherwise. Else, for each point
// of `ends`, from the begin of its first step to the end of its last. Sorted by labels, without
// series of which nothing is known.
absl::StatusOr<std::vector<SeriesAmounts>> AnswerStepAmounts(const StepAmountsQuestion& question,
                                                             const StepEnds& ends,
                                                             const QuestionContext& context);

}  // namespace lockstep::answers
