// Parses the text formats' numbers as strictly as Prometheus does. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace lockstep::exposition {

// Decimal, or inf, infinity or nan in any case; no hexadecimal, no underscores, nothing too large
// for a double. Every NaN becomes Prometheus' normal NaN.
absl::StatusOr<double> ParseValue(std::string_view text);

// Unix milliseconds, not before 1970.
absl::StatusOr<int64_t> ParseMilliseconds(std::string_view text);
// Unix seconds with decimals, to the nearest millisecond.
absl::StatusOr<int64_t> ParseSeconds(std::string_view text);

}  // namespace lockstep::exposition
