// /api/v1/training/events: the answer.
#pragma once

#include <cstdint>

#include "answers/loaded_job.h"
#include "api/json_writer.h"

namespace lockstep::api {

answers::JobNeeds EventNeeds();

// The object. A job that is not over by `now_ms` may have stalled.
void WriteEvents(JsonWriter& json, const answers::LoadedJob& job, int64_t now_ms);

}  // namespace lockstep::api
