// Times for people and for requests. Pure.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "absl/strings/str_format.h"
#include "base/utc_text.h"

namespace lockstep::cli {

// "2026-01-02 03:04:05Z"
inline std::string TimeText(int64_t time_ms) { return UtcText("%Y-%m-%d %H:%M:%SZ", time_ms); }

// "2026-01-02T03:04:05Z", the form that flags take.
inline std::string FlagTimeText(int64_t time_ms) { return UtcText("%Y-%m-%dT%H:%M:%SZ", time_ms); }

// A time in an API response, in Unix seconds, formatted as a request parameter.
inline std::string SecondsText(double time_s) { return absl::StrFormat("%.3f", time_s); }

// The same, formatted for people; "" if the time is unknown.
inline std::string WhenText(double time_s) {
  return std::isfinite(time_s) ? TimeText(std::llround(time_s * 1e3)) : "";
}

}  // namespace lockstep::cli
