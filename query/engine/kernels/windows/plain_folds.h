// The functions over the floats of one window that the window functions and the row functions
// share. Only for the kernels. Precondition of all: there are values.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace lockstep::engine {

double PlainSum(std::span<const double> values);
double PlainMean(std::span<const double> values);
double PlainVariance(std::span<const double> values);

// The index of the value that beats all others; NaN wins only if there is nothing else.
template <typename Beats>
size_t Winner(std::span<const double> values, Beats beats) {
  size_t winner = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (beats(values[i], values[winner]) || std::isnan(values[winner])) winner = i;
  }
  return winner;
}

}  // namespace lockstep::engine
