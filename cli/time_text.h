// Times for people. Pure.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace lockstep::cli {

// As strftime's `format` says, in UTC and whole seconds.
inline std::string TimeTextAs(const char* format, int64_t time_ms) {
  const auto seconds = static_cast<std::time_t>(time_ms / 1000);
  std::tm time{};
  gmtime_r(&seconds, &time);
  char text[32];
  return std::string(text, std::strftime(text, sizeof(text), format, &time));
}

// "2026-01-02 03:04:05Z"
inline std::string TimeText(int64_t time_ms) { return TimeTextAs("%Y-%m-%d %H:%M:%SZ", time_ms); }

// "2026-01-02T03:04:05Z", as flags take it.
inline std::string Rfc3339Text(int64_t time_ms) {
  return TimeTextAs("%Y-%m-%dT%H:%M:%SZ", time_ms);
}

}  // namespace lockstep::cli
