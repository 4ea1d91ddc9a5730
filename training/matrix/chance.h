// Whether an apparent pattern could be chance.
#pragma once

#include <cstddef>

namespace lockstep::training {

// The natural logarithm of the probability of at least `successes` successes in `trials`
// independent trials, each with success probability `probability`. 0 if `successes` is 0.
double LogChanceOfAtLeast(size_t successes, size_t trials, double probability);

}  // namespace lockstep::training
