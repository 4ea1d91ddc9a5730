// Numbers of the text formats, read as strictly as Prometheus reads them. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace lockstep::exposition {

// Decimal, inf, infinity or nan in any case; not hexadecimal, no underscores, and nothing that is too
// large for a double. Every NaN becomes the ordinary one of Prometheus.
absl::StatusOr<double> ParseValue(std::string_view text);

// Unix milliseconds, not before 1970.
absl::StatusOr<int64_t> ParseMilliseconds(std::string_view text);
// Unix seconds with decimals, to the nearest millisecond.
absl::StatusOr<int64_t> ParseSeconds(std::string_view text);

}  // namespace lockstep::exposition
