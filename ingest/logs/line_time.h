// Times as logs write them. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::logs {

// The date and time in front of `text`, which then begins behind it: "2026-03-02 09:15:48", with 'T' for the
// space, '.' or ',' and up to nine digits of a second, "Z" or "+02:00". Milliseconds since 1970; without a zone
// as of UTC + `utc_offset_s`.
std::optional<int64_t> TakeTime(std::string_view& text, int32_t utc_offset_s);

// A time that is a number: seconds since 1970, or milli-, micro- or nanoseconds by its size. Nothing for one
// below a million, which is a duration.
std::optional<int64_t> TimeOfNumber(double value);

}  // namespace lockstep::logs
