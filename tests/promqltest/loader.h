// Converts the series of a `load` command to a write request.
#pragma once

#include "storage/write.h"
#include "tests/promqltest/script.h"

namespace lockstep::promqltest {

// The first slot of a series is at time 0. If a series occurs twice, the later line wins.
WriteRequest ToWriteRequest(const LoadCommand& load);

}  // namespace lockstep::promqltest
