// Numbers in label values, read as Prometheus reads them.
#pragma once

#include <optional>
#include <string_view>

namespace lockstep::engine {

// As Go's strconv.ParseFloat: decimal, or hexadecimal with a binary exponent; "inf", "infinity" and
// "nan" in any case; one sign; the whole text and nothing else. Too large is an error, too small is
// 0.
std::optional<double> ParseNumber(std::string_view text);

}  // namespace lockstep::engine
