// /api/v1/training/compare: what is asked, and the answer.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "answers/loaded_job.h"
#include "api/form.h"
#include "api/json_writer.h"
#include "training/comparison.h"

namespace lockstep::api {

struct ComparisonQuestion {
  std::vector<answers::JobQuery> runs;  // at least one
  training::ComparisonAxis axis = training::ComparisonAxis::kStep;
  size_t points = 500;
};

// An error is the whole text for the client.
absl::StatusOr<ComparisonQuestion> ComparisonQuestionOf(const Form& form);

// The object. `runs` as asked for.
void WriteComparison(JsonWriter& json, const std::vector<answers::LoadedJob>& runs,
                     const ComparisonQuestion& question);

}  // namespace lockstep::api
