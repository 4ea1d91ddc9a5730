// Medians and statistics based on them. Answers describe what usually happens, so single stalls and
// pauses must not affect them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lockstep::training {

// All of these ignore unknown (NaN) values and return unknown if there are no others.

// The middle value, or the mean of the two middle values.
double Median(std::span<const double> values);
// Precondition: not empty, nothing unknown. Reorders `values`.
double MedianInPlace(std::span<double> values);

// Element size/2 of values in ascending order, and its neighbours, unknown if there are none.
struct Middle {
  double before;
  double at;
  double after;
};
// Same precondition as MedianInPlace(). Reorders `values`.
Middle MiddleInPlace(std::span<double> values);
double Mean(std::span<const double> values);

// The `q` quantile (0..1), with linear interpolation.
double Quantile(std::span<const double> values, double q);

// A robust estimate of the standard deviation: 1.4826 times the median distance from the median. Up
// to half of the values may be outliers.
double RobustDeviation(std::span<const double> values);

// Element i is the median of the `window` values around i or, near the ends, of the first or last
// `window` values. A window longer than `values` is clipped. Precondition: no value is NaN, window
// >= 1.
std::vector<double> RunningMedian(std::span<const double> values, size_t window);

// The standard error of the median of `count` values with standard deviation `deviation`:
// sqrt(pi/2) times that of the mean.
double MedianError(double deviation, size_t count);

}  // namespace lockstep::training
