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

}  // namespace lockstep::answers
