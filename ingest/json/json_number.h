// Parses JSON numbers exactly, and finds the end of a document. Pure functions.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>

namespace lockstep::json {

// The nearest double, including "-0" and integers of any length. Nothing if it is not a number or
// too large.
std::optional<double> ReadDouble(simdjson::ondemand::value value);
// Parses a number without a decimal point.
std::optional<int64_t> ReadInteger(simdjson::ondemand::value value);

// Whether only blanks follow.
inline bool IsAtEnd(simdjson::ondemand::document& document) {
  const char* rest = nullptr;
  return document.current_location().get(rest) == simdjson::OUT_OF_BOUNDS;
}

}  // namespace lockstep::json
