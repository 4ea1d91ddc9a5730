// The parameters and the response of /api/v1/fleet/lemons.
#pragma once

#include "absl/status/statusor.h"
#include "answers/lemons.h"
#include "api/http/form.h"
#include "api/http/json_writer.h"

namespace lockstep::api {

// An error is the complete message for the client.
absl::StatusOr<answers::LemonQuestion> LemonQuestionOf(const Form& form);

// Writes the object.
void WriteLemons(JsonWriter& json, const answers::FleetLemons& found);

}  // namespace lockstep::api
