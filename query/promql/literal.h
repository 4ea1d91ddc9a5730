// The values of number and duration literals.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace lockstep::promql {

// A kNumber token: decimal, 0x..., a leading 0 with octal digits only is octal, `inf`, `nan`.
absl::StatusOr<double> ParseNumber(std::string_view text);

// Of a non-negative duration: 90000 -> "1m30s"; years and weeks only where nothing is left over.
std::string FormatDurationMs(int64_t duration_ms);

}  // namespace lockstep::promql
