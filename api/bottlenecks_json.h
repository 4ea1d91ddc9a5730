// /api/v1/training/bottlenecks: the answer.
#pragma once

#include "answers/loaded_job.h"
#include "api/json_writer.h"
#include "training/bottlenecks.h"

namespace lockstep::api {

answers::JobNeeds BottleneckNeeds();

// The object.
void WriteBottlenecks(JsonWriter& json, const answers::LoadedJob& job,
                      const training::BottleneckAnswer& answer);

}  // namespace lockstep::api
