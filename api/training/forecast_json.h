// The parameters and the response of /api/v1/training/forecast.
#pragma once

#include "absl/status/statusor.h"
#include "answers/forecast.h"
#include "api/http/form.h"
#include "api/http/json_writer.h"

namespace lockstep::api {

// An error is the complete message for the client.
absl::StatusOr<answers::ForecastQuestion> ForecastQuestionOf(const Form& form,
                                                             const answers::Prices& defaults);

// Writes the object.
void WriteForecast(JsonWriter& json, const answers::JobForecast& found);

}  // namespace lockstep::api
