// Parses JSON numbers exactly, and tells whether a document has ended. Pure functions.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>

namespace lockstep::json {

// The nearest double, including "-0" and integers of any length. Nothing if it is not a number, or
// beyond the range of a double (1e400, 1e-400).
std::optional<double> ReadDouble(simdjson::ondemand::value value);
// A signed 64-bit integer. Nothing if it is anything else, such as 1.0 or 1e3.
std::optional<int64_t> ReadInteger(simdjson::ondemand::value value);

// Whether only whitespace follows what has been read of the document.
inline bool IsAtEnd(simdjson::ondemand::document& document) {
  const char* rest = nullptr;
  return document.current_location().get(rest) == simdjson::OUT_OF_BOUNDS;
}

}  // namespace lockstep::json
