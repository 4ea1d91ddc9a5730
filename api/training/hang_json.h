// The response of /api/v1/training/hang.
#pragma once

#include "answers/hang.h"
#include "api/http/json_writer.h"

namespace lockstep::api {

// Writes the object.
void WriteHang(JsonWriter& json, const answers::JobHang& found);

}  // namespace lockstep::api
