// Numbers of JSON, all digits of them, and where a document ends. Pure functions.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>

namespace lockstep::json {

// To the nearest double, "-0" and integers of any length included. Nothing for what is no number,
// or too large for one.
std::optional<double> ReadDouble(simdjson::ondemand::value value);
// Reads a number without a decimal point.
std::optional<int64_t> ReadInteger(simdjson::ondemand::value value);

// Whether nothing but blanks follows what was read.
inline bool IsAtEnd(simdjson::ondemand::document& document) {
  const char* rest = nullptr;
  return document.current_location().get(rest) == simdjson::OUT_OF_BOUNDS;
}

}  // namespace lockstep::json
