// The response of /api/v1/training/bottlenecks.
#pragma once

#include "answers/bottlenecks.h"
#include "api/http/json_writer.h"

namespace lockstep::api {

// Writes the object.
void WriteBottlenecks(JsonWriter& json, const answers::JobBottlenecks& found);

}  // namespace lockstep::api
