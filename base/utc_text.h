// Times as text, in UTC. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep {

// Writes the Unix time `time_ms` by `format`, as absl::FormatTime() reads it.
std::string UtcText(const char* format, int64_t time_ms);

// RFC 3339 with milliseconds: "2026-01-02T03:04:05.678Z".
std::string Rfc3339Text(int64_t time_ms);

}  // namespace lockstep
