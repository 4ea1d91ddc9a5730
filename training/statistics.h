// Medians and what is made of them: the answers are about what usually happens, so single stalls and
// pauses must not move them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lockstep::training {

// All of these leave unknown (NaN) values out, and are unknown where nothing is left.

// The middle value, or the mean of the two middle values.
double Median(std::span<const double> values);
// Precondition: not empty, nothing unknown. Reorders `values`.
double MedianInPlace(std::span<double> values);
double Mean(std::span<const double> values);

// The value below which the share `q` (0..1) of the values lies, linear between neighbours.
double Quantile(std::span<const double> values, double q);

// The standard deviation that normally distributed values with the same spread around `values`' median
// would have: 1.4826 times the median distance. Half of the values may be wild.
double RobustDeviation(std::span<const double> values);

// Element i is the median of the `window` values around i; towards the ends, of the first or last
// `window` values. Precondition: no value is NaN, window >= 1. A window longer than the values is cut.
std::vector<double> RunningMedian(std::span<const double> values, size_t window);

// How far the median of `count` values with standard deviation `deviation` is from the true one, as a
// standard deviation: sqrt(pi/2) times that of the mean.
double MedianError(double deviation, size_t count);

}  // namespace lockstep::training
