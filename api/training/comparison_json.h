// The parameters and the response of /api/v1/training/compare.
#pragma once

#include "absl/status/statusor.h"
#include "answers/comparison.h"
#include "api/http/form.h"
#include "api/http/json_writer.h"

namespace lockstep::api {

// An error is the complete message for the client.
absl::StatusOr<answers::ComparisonQuestion> ComparisonQuestionOf(const Form& form);

// Writes the object.
void WriteComparison(JsonWriter& json, const training::Comparison& comparison);

}  // namespace lockstep::api
