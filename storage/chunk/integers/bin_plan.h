// Plans the bins for a list of integers: as many bins as pay for themselves, each where it saves
// the most bits.
#pragma once

#include <cstdint>
#include <vector>

#include "storage/chunk/integers/bins.h"

namespace lockstep {

struct BinPlan {
  BinSet set;
  double bit_count = 0;  // all integers and the set itself
};

// The integers must be written with exactly the bins of the plan. `unit_hint` is a number that many
// integers are multiples of (1 if unknown); a common divisor of all integers is found without a
// hint.
BinPlan PlanBins(const std::vector<int64_t>& integers, uint64_t unit_hint);

}  // namespace lockstep
