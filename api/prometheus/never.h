// The placeholder for a time that is missing.
#pragma once

#include <string_view>

namespace lockstep::api {

// Go's zero time, as Prometheus writes it.
inline constexpr std::string_view kNever = "0001-01-01T00:00:00Z";

}  // namespace lockstep::api
