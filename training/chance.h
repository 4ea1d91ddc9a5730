// Whether something that looks like a pattern could have come about by chance.
#pragma once

#include <cstddef>

namespace lockstep::training {

// The natural logarithm of the probability that of `trials` independent ones, each with `probability`
// of a success, at least `successes` succeed. 0 for none.
double LogChanceOfAtLeast(size_t successes, size_t trials, double probability);

}  // namespace lockstep::training
