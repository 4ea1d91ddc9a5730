// The recorded runs on four H200 GPUs (data/README.md), which are embedded in the program.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::demo {

// The whole recording as OpenMetrics text (about 39 MB). All samples are shifted in time by the
// same amount so that the last one is at `end_ms` (Unix milliseconds, not negative). Safe to call
// from any thread.
std::string RecordingAsOpenMetrics(int64_t end_ms);

}  // namespace lockstep::demo
