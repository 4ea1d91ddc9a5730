// KahanSum: a sum that carries its rounding error along (Neumaier's variant of Kahan's algorithm).
// Source: https://en.wikipedia.org/wiki/Kahan_summation_algorithm, "Further enhancements";
// prometheus/prometheus, util/kahansum.
#pragma once

#include <cmath>

namespace lockstep::engine {

struct KahanSum {
  double sum = 0;
  double compensation = 0;

  void Add(double value) {
    const double total = sum + value;
    if (std::isinf(total)) {
      compensation = 0;
    } else if (std::fabs(sum) >= std::fabs(value)) {
      compensation += (sum - total) + value;
    } else {
      compensation += (value - total) + sum;
    }
    sum = total;
  }
  double Total() const { return sum + compensation; }
};

}  // namespace lockstep::engine
