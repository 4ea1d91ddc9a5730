// The recorded runs of four H200 GPUs (data/README.md), which the program carries.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::demo {

// The whole recording as OpenMetrics text (about 39 MB). All samples are moved in time by the same amount, such that
// the last one is at `end_ms` (Unix milliseconds, not negative). Safe from any thread.
std::string RecordingAsOpenMetrics(int64_t end_ms);

}  // namespace lockstep::demo
