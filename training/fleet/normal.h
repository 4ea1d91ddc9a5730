// The standard normal distribution.
#pragma once

namespace lockstep::training {

// The value below which a share of `probability` lies. Precondition: between 0 and 1, both
// exclusive. Exact to 1e-9.
double NormalQuantile(double probability);

// The probability of a value above `z`.
double NormalTail(double z);

}  // namespace lockstep::training
