#include "base/utc_text.h"

#include "absl/time/time.h"

namespace lockstep {

std::string UtcText(const char* format, int64_t time_ms) {
  return absl::FormatTime(format, absl::FromUnixMillis(time_ms), absl::UTCTimeZone());
}

std::string Rfc3339Text(int64_t time_ms) { return UtcText("%E4Y-%m-%dT%H:%M:%E3SZ", time_ms); }

}  // namespace lockstep
