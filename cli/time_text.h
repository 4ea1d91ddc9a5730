// Times for people. Pure.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

namespace lockstep::cli {

// "2026-01-02 03:04:05Z"
inline std::string TimeText(int64_t time_ms) {
  const auto seconds = static_cast<std::time_t>(time_ms / 1000);
  std::tm time{};
  gmtime_r(&seconds, &time);
  char text[32];
  return std::string(text, std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%SZ", &time));
}

}  // namespace lockstep::cli
