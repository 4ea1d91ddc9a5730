#include "training/matrix/statistics.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::training {
namespace {

constexpr double kDeviationOfMedianDistance = 1.4826;
constexpr double kMedianOverMeanError = 1.2533;

std::vector<double> Known(std::span<const double> values) {
  std::vector<double> known;
  known.reserve(values.size());
  for (const double value : values) {
    if (!std::isnan(value)) known.push_back(value);
  }
  return known;
}

double MiddleOfSorted(const std::vector<double>& sorted) {
  const size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

}  // namespace

double Median(std::span<const double> values) {
  std::vector<double> known = Known(values);
  return known.empty() ? kUnknown : MedianInPlace(known);
}

double MedianInPlace(std::span<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double Mean(std::span<const double> values) {
  double sum = 0;
  size_t count = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    sum += value;
    ++count;
  }
  return count == 0 ? kUnknown : sum / static_cast<double>(count);
}

double Quantile(std::span<const double> values, double q) {
  std::vector<double> known = Known(values);
  if (known.empty()) return kUnknown;
  std::sort(known.begin(), known.end());
  const double rank = q * static_cast<double>(known.size() - 1);
  const auto below = static_cast<size_t>(rank);
  const size_t above = std::min(below + 1, known.size() - 1);
  return known[below] + (rank - static_cast<double>(below)) * (known[above] - known[below]);
}

double RobustDeviation(std::span<const double> values) {
  std::vector<double> distances = Known(values);
  if (distances.empty()) return kUnknown;
  const double median = Median(distances);
  for (double& value : distances) value = std::abs(value - median);
  return kDeviationOfMedianDistance * MedianInPlace(distances);
}

std::vector<double> RunningMedian(std::span<const double> values, size_t window) {
  LOCKSTEP_CHECK(window >= 1);
  std::vector<double> medians(values.size());
  if (values.empty()) return medians;
  window = std::min(window, values.size());
  std::vector<double> sorted(values.begin(), values.begin() + static_cast<ptrdiff_t>(window));
  std::sort(sorted.begin(), sorted.end());
  const size_t before = window / 2;
  std::fill_n(medians.begin(), before + 1, MiddleOfSorted(sorted));
  for (size_t end = window; end < values.size(); ++end) {
    sorted.erase(std::lower_bound(sorted.begin(), sorted.end(), values[end - window]));
    sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), values[end]), values[end]);
    medians[end - window + 1 + before] = MiddleOfSorted(sorted);
  }
  std::fill(medians.end() - static_cast<ptrdiff_t>(window - before - 1), medians.end(),
            MiddleOfSorted(sorted));
  return medians;
}

double MedianError(double deviation, size_t count) {
  return kMedianOverMeanError * deviation / std::sqrt(static_cast<double>(count));
}

}  // namespace lockstep::training
