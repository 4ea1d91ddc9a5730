#include "training/matrix/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

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

// Finds the middle of `values` by ordering them around it; `index` is that of the middle.
Middle MiddleAt(std::span<double> values, size_t index) {
  const auto at = values.begin() + static_cast<ptrdiff_t>(index);
  std::nth_element(values.begin(), at, values.end());
  return {.before = index == 0 ? kUnknown : *std::max_element(values.begin(), at),
          .at = *at,
          .after = at + 1 == values.end() ? kUnknown : *std::min_element(at + 1, values.end())};
}

// Fewer values are ordered as fast as they are sampled.
constexpr size_t kFewestToSample = 256;
constexpr size_t kSampleSize = 64;
// The middle of all values is nearly always within two standard deviations of the sample's, each
// of sqrt(64) / 2 elements. A wider reach would leave more values to order.
constexpr size_t kSampleReach = 8;

// Two values that the middle most probably lies between.
std::pair<double, double> BoundsOfMiddle(std::span<const double> values) {
  std::array<double, kSampleSize> sample;
  for (size_t i = 0; i < sample.size(); ++i) sample[i] = values[i * values.size() / sample.size()];
  std::sort(sample.begin(), sample.end());
  return {sample[kSampleSize / 2 - kSampleReach], sample[kSampleSize / 2 + kSampleReach]};
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
  const Middle middle = MiddleInPlace(values);
  return values.size() % 2 == 1 ? middle.at : (middle.at + middle.before) / 2;
}

// Ordering all values around their middle takes a branch for each that nobody can predict. Most of
// them are far from the middle, so only those near it are ordered, and the others are counted.
Middle MiddleInPlace(std::span<double> values) {
  const size_t index = values.size() / 2;
  if (values.size() < kFewestToSample) return MiddleAt(values, index);
  const auto [low, high] = BoundsOfMiddle(values);
  const auto near = std::make_unique_for_overwrite<double[]>(values.size());
  size_t near_count = 0;
  size_t below = 0;
  for (const double value : values) {
    near[near_count] = value;
    near_count += static_cast<size_t>(value >= low) & static_cast<size_t>(value <= high);
    below += static_cast<size_t>(value < low);
  }
  const bool has_neighbours = below < index && index + 1 < below + near_count;
  if (!has_neighbours) return MiddleAt(values, index);
  return MiddleAt({near.get(), near_count}, index - below);
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
