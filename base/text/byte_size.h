// Parses byte sizes as people and Prometheus write them. Pure.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace lockstep {

// A whole number with one of the units B, KB, MB, GB, TB, PB and EB, each 1024 times the previous
// one; 0 needs no unit.
absl::StatusOr<uint64_t> ParseByteSize(std::string_view text);

}  // namespace lockstep
