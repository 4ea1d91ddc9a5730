// Times as the API writes them for people.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::api {

// Unix milliseconds in RFC 3339, UTC, with milliseconds: "2026-01-02T03:04:05.678Z".
std::string TimeText(int64_t time_ms);

}  // namespace lockstep::api
