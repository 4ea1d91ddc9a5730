// The parameters and the response of /api/v1/training/stragglers.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "answers/stragglers.h"
#include "api/http/form.h"
#include "api/http/json_writer.h"

namespace lockstep::api {

// The parameter `method`; empty if it is absent. An error is the complete message for the client.
absl::StatusOr<std::optional<training::StragglerMethod>> MethodOf(const Form& form);
// All parameters. An error is the complete message for the client.
absl::StatusOr<answers::StragglerQuestion> StragglerQuestionOf(const Form& form,
                                                               const answers::Prices& defaults);

// Writes the object.
void WriteStragglers(JsonWriter& json, const answers::JobStragglers& found);

}  // namespace lockstep::api
