// Reads the attempts of a job from one rank's step numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/load/load_context.h"
#include "answers/load/step_history.h"

namespace lockstep::answers {

// Reads the attempts over the whole life of the job, from the steps at the end of every five
// minutes and wherever the step number decreases. `rank` is a label value: "" for series without
// that label.
absl::StatusOr<std::vector<AttemptSpan>> ReadAttemptSpans(const std::string& job,
                                                          const std::string& rank,
                                                          const LoadContext& context);

struct NewestStep {
  std::string rank_label;  // of the rank that reported it
  int64_t step = 0;
};

// The newest step that any rank ended in `time`; empty if none did.
absl::StatusOr<std::optional<NewestStep>> ReadNewestStep(const std::string& job,
                                                         const TimeRange& time,
                                                         const LoadContext& context);

// The steps that a rank ended in `time`, in time order.
absl::StatusOr<std::vector<StepMark>> ReadStepMarks(const std::string& job, const std::string& rank,
                                                    const TimeRange& time,
                                                    const LoadContext& context);

}  // namespace lockstep::answers
