// Plans the bins for a list of integers: as many as pay for their place in the set, each where it
// saves most.
#pragma once

#include <cstdint>
#include <vector>

#include "storage/chunk/bins.h"

namespace lockstep {

struct BinPlan {
  BinSet set;
  double bit_count = 0;  // of all the integers, and of the set
};

// The integers must be written with the bins of the plan and no others. `unit_hint` is a number that
// many of them are a multiple of (1: none is known); a divisor of all of them is found without.
BinPlan PlanBins(const std::vector<int64_t>& integers, uint64_t unit_hint);

}  // namespace lockstep
