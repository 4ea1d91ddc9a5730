// /api/v1/training/steps: when each step ended, and the pace.
#pragma once

#include <vector>

#include "answers/loaded_job.h"
#include "api/json_writer.h"

namespace lockstep::api {

// The object. `attempts` in order of time, at least one; at most `points` steps of each.
void WriteSteps(JsonWriter& json, const std::vector<answers::LoadedJob>& attempts, size_t points);

}  // namespace lockstep::api
