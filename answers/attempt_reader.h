// The starts of a job, read from one rank's step numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load_context.h"
#include "answers/step_history.h"

namespace lockstep::answers {

// Of all of the job's life, told by the steps at the ends of every five minutes and wherever the number falls.
// `rank` is a label's value: "" for series without one.
absl::StatusOr<std::vector<AttemptSpan>> ReadAttemptSpans(const std::string& job,
                                                          const std::string& rank,
                                                          const LoadContext& context);

struct NewestStep {
  std::string rank_label;  // of the rank that has it
  int64_t step = 0;
};

// The newest that any rank has ended in `time`; nothing if none has.
absl::StatusOr<std::optional<NewestStep>> ReadNewestStep(const std::string& job,
                                                         const TimeRange& time,
                                                         const LoadContext& context);

// Steps that a rank has ended in `time`, in order of time.
absl::StatusOr<std::vector<StepMark>> ReadStepMarks(const std::string& job, const std::string& rank,
                                                    const TimeRange& time,
                                                    const LoadContext& context);

}  // namespace lockstep::answers
