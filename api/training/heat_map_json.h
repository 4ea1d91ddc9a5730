// The parameters and the response of /api/v1/training/heatmap.
#pragma once

#include "absl/status/statusor.h"
#include "answers/heat_map.h"
#include "api/http/form.h"
#include "api/http/json_writer.h"

namespace lockstep::api {

// An error is the complete message for the client.
absl::StatusOr<answers::HeatMapQuestion> HeatMapQuestionOf(const Form& form);

// Writes the object.
void WriteHeatMap(JsonWriter& json, const answers::JobHeatMap& map);

}  // namespace lockstep::api
