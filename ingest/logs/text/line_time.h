// Parses times in logs. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace lockstep::logs {

// Takes the date and time from the front of `text`: "2026-03-02 09:15:48", optionally with 'T'
// instead of the space, '.' or ',' and up to nine fractional digits, "Z" or "+02:00". Returns Unix
// milliseconds; without a zone, the time is in UTC + `utc_offset_s`.
std::optional<int64_t> TakeTime(std::string_view& text, int32_t utc_offset_s);

// A numeric time: Unix seconds, or milli-, micro- or nanoseconds by its size. Nothing below a
// million, which is a duration.
std::optional<int64_t> TimeOfNumber(double value);

}  // namespace lockstep::logs
