// The parameters and the response of /api/v1/training/mfu.
#pragma once

#include "absl/status/statusor.h"
#include "answers/efficiency.h"
#include "api/http/form.h"
#include "api/http/json_writer.h"

namespace lockstep::api {

// All parameters except those that say which job. An error is the complete message for the client.
absl::StatusOr<answers::EfficiencyOptions> EfficiencyOptionsOf(const Form& form);
// All parameters. An error is the complete message for the client.
absl::StatusOr<answers::EfficiencyQuestion> EfficiencyQuestionOf(const Form& form);

// Writes the object.
void WriteEfficiency(JsonWriter& json, const answers::JobEfficiency& found);

}  // namespace lockstep::api
