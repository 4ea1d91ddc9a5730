// The response of /api/v1/training/events.
#pragma once

#include "answers/events.h"
#include "api/http/json_writer.h"

namespace lockstep::api {

// Writes the object.
void WriteEvents(JsonWriter& json, const answers::JobEvents& found);

}  // namespace lockstep::api
