// The values of number and duration literals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lockstep::promql {

// Parses a kNumber token: decimal, 0x..., octal with a leading 0 and only octal digits, `inf`,
// `nan`.
absl::StatusOr<double> ParseNumber(std::string_view text);

// Formats a non-negative duration: 90000 -> "1m30s". Uses years and weeks only if there is no
// remainder.
std::string FormatDurationMs(int64_t duration_ms);

}  // namespace lockstep::promql
