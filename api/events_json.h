// /api/v1/training/events: the answer.
#pragma once

#include <cstdint>
#include <vector>

#include "answers/loaded_job.h"
#include "api/json_writer.h"
#include "training/events.h"

namespace lockstep::api {

answers::JobNeeds EventNeeds();

// A job that is not over by `now_ms` may have stalled.
std::vector<training::Event> EventsOf(const answers::LoadedJob& job, int64_t now_ms);
// The object.
void WriteEvents(JsonWriter& json, const answers::LoadedJob& job,
                 const std::vector<training::Event>& events);

}  // namespace lockstep::api
