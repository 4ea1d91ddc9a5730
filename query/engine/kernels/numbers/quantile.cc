#include "query/engine/kernels/numbers/quantile.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "query/engine/kernels/numbers/constants.h"

namespace lockstep::engine {
namespace {

constexpr auto kNanFirst = [](double a, double b) {
  return std::isnan(a) ? !std::isnan(b) : a < b;
};

}  // namespace

double Quantile(double q, std::vector<double>& values) {
  if (values.empty() || std::isnan(q)) return std::numeric_limits<double>::quiet_NaN();
  if (q < 0) return -kInfinity;
  if (q > 1) return kInfinity;

  const double rank = q * static_cast<double>(values.size() - 1);
  const double whole = std::floor(rank);
  const auto lower = values.begin() + static_cast<std::ptrdiff_t>(whole);
  std::nth_element(values.begin(), lower, values.end(), kNanFirst);
  const auto upper =
      lower + 1 == values.end() ? lower : std::min_element(lower + 1, values.end(), kNanFirst);
  const double weight = rank - whole;
  return *lower * (1 - weight) + *upper * weight;
}

}  // namespace lockstep::engine
