// Times as the API writes them for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::api {

// What stands where there was no time yet: as Go prints it.
inline constexpr std::string_view kNever = "0001-01-01T00:00:00Z";

// Unix milliseconds in RFC 3339, UTC, with milliseconds: "2026-01-02T03:04:05.678Z".
std::string TimeText(int64_t time_ms);

}  // namespace lockstep::api
