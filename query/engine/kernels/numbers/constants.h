// Values that functions return and compare with.
#pragma once

#include <limits>

namespace lockstep::engine {

inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace lockstep::engine
