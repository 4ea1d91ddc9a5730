// The names of Prometheus' feature flags, for command lines that come from there.
#pragma once

#include <string_view>

namespace lockstep::cli {

// Whether what Prometheus has behind that name is part of lockstep, where it is always on.
bool IsBuiltInFeature(std::string_view name);

}  // namespace lockstep::cli
