// Quantiles of a few numbers.
#pragma once

#include <vector>

namespace lockstep::engine {

// The value at rank q*(n-1), interpolated linearly; NaN counts as the lowest value. Returns NaN if
// there are no values or q is NaN, -Inf for q < 0, and +Inf for q > 1. Reorders `values`.
double Quantile(double q, std::vector<double>& values);

// Whether q deserves the warning "quantile value should be between 0 and 1".
inline bool IsInvalidQuantile(double q) { return !(q >= 0 && q <= 1); }

}  // namespace lockstep::engine
