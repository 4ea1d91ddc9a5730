// The parameters and the response of /api/v1/training/steps.
#pragma once

#include "absl/status/statusor.h"
#include "answers/steps.h"
#include "api/http/form.h"
#include "api/http/json_writer.h"

namespace lockstep::api {

// An error is the complete message for the client.
absl::StatusOr<answers::StepsQuestion> StepsQuestionOf(const Form& form);

// Writes the object.
void WriteSteps(JsonWriter& json, const answers::JobSteps& found);

}  // namespace lockstep::api
