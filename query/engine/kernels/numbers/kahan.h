// Sums and means that do not lose small terms.
#pragma once

#include <cmath>
#include <cstdint>

namespace lockstep::engine {

// A sum that tracks its rounding error (Neumaier's variant of Kahan's algorithm). Source:
// https://en.wikipedia.org/wiki/Kahan_summation_algorithm, "Further enhancements";
// prometheus/prometheus, util/kahansum.
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

// An average that neither loses small terms nor overflows.
//
// Sums with Kahan compensation and divides at the end, which is the most accurate. If that sum
// would leave the range of doubles, continues with an incremental mean. Source:
// prometheus/prometheus, promql/functions.go (funcAvgOverTime).
class RunningMean {
 public:
  void Add(double value) {
    ++count_;
    if (count_ == 1) {
      sum_ = {value, 0};
      return;
    }
    const auto count = static_cast<double>(count_);
    if (!incremental_) {
      KahanSum next = sum_;
      next.Add(value);
      if (!std::isinf(next.sum)) {
        sum_ = next;
        return;
      }
      incremental_ = true;
      sum_.sum /= count - 1;
      sum_.compensation /= count - 1;
    }
    const double weight = (count - 1) / count;
    sum_.sum *= weight;
    sum_.compensation *= weight;
    sum_.Add(value / count);
  }

  uint64_t count() const { return count_; }
  // Precondition: something was added.
  double Get() const {
    if (incremental_) return sum_.Total();
    const auto count = static_cast<double>(count_);
    return sum_.sum / count + sum_.compensation / count;
  }

 private:
  KahanSum sum_;  // of the values, or the mean once incremental
  uint64_t count_ = 0;
  bool incremental_ = false;
};

}  // namespace lockstep::engine
