// From the series of a `load` command to what is written to a store.
#pragma once

#include "storage/storage.h"
#include "tests/promqltest/script.h"

namespace lockstep::promqltest {

// The first slot of a series is at time 0. Of a series named twice the later line wins.
WriteRequest ToWriteRequest(const LoadCommand& load);

}  // namespace lockstep::promqltest
