#include "training/matrix/chance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::training {
namespace {

double LogChoose(size_t n, size_t k) {
  const auto log_factorial = [](size_t m) { return std::lgamma(static_cast<double>(m) + 1); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

}  // namespace

double LogChanceOfAtLeast(size_t successes, size_t trials, double probability) {
  if (successes == 0) return 0;
  if (successes > trials || probability <= 0) return -std::numeric_limits<double>::infinity();
  if (probability >= 1) return 0;
  const double log_success = std::log(probability);
  const double log_failure = std::log1p(-probability);
  const auto log_of = [&](size_t k) {
    return LogChoose(trials, k) + static_cast<double>(k) * log_success +
           static_cast<double>(trials - k) * log_failure;
  };
  double largest = -std::numeric_limits<double>::infinity();
  for (size_t k = successes; k <= trials; ++k) largest = std::max(largest, log_of(k));
  double sum = 0;
  for (size_t k = successes; k <= trials; ++k) sum += std::exp(log_of(k) - largest);
  return std::min(0.0, largest + std::log(sum));
}

}  // namespace lockstep::training
