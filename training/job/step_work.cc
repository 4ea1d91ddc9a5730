#include "training/job/step_work.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

// Amounts closer than this are equal: rounding of logged rates, a few tokens of padding.
constexpr double kSameWork = 1.02;
// A median over fewer steps is not a usual time, so rare amounts join their neighbours.
constexpr size_t kFewestPerLevel = 12;

// The work of each step, summed over ranks; unknown where it was not logged.
std::vector<double> WorkOfSteps(const StepTable& table) {
  const RankMatrix& logged = table.model_flops.empty() ? table.tokens : table.model_flops;
  if (logged.empty()) return {};
  std::vector<double> work(table.size(), kUnknown);
  for (size_t n = 0; n < work.size(); ++n) work[n] = Mean(logged.Column(n));
  return work;
}

std::vector<size_t> OrderOf(const std::vector<double>& work) {
  std::vector<size_t> order;
  for (size_t n = 0; n < work.size(); ++n) {
    if (work[n] > 0) order.push_back(n);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&work](size_t a, size_t b) { return work[a] < work[b]; });
  return order;
}

}  // namespace

StepWork::StepWork(const StepTable& table) : steps_(table.size()) {
  const std::vector<double> work = WorkOfSteps(table);
  const std::vector<size_t> order = OrderOf(work);
  if (order.size() < 2 * kFewestPerLevel) return;
  const double low = Quantile(work, 0.05);
  const double high = Quantile(work, 0.95);
  if (!(high > kSameWork * low)) return;
  level_of_.assign(steps_, 0);
  size_t level = 0;
  size_t in_level = 0;
  double first_of_level = work[order.front()];
  for (const size_t n : order) {
    if (work[n] > kSameWork * first_of_level && in_level >= kFewestPerLevel) {
      ++level;
      in_level = 0;
      first_of_level = work[n];
    }
    level_of_[n] = level;
    ++in_level;
  }
  // The last level may have too few steps.
  if (level > 0 && in_level < kFewestPerLevel) {
    for (size_t& one : level_of_) one = std::min(one, level - 1);
    --level;
  }
  level_count_ = level + 1;
  // Steps with unknown work are compared with the median level.
  for (size_t n = 0; n < steps_; ++n) {
    if (!(work[n] > 0)) level_of_[n] = level_of_[order[order.size() / 2]];
  }
}

std::vector<double> StepWork::Usual(std::span<const double> seconds) const {
  if (!varies()) return std::vector<double>(seconds.size(), Median(seconds));
  std::vector<std::vector<double>> of_level(level_count_);
  for (size_t n = 0; n < seconds.size(); ++n) of_level[level_of_[n]].push_back(seconds[n]);
  std::vector<double> median(level_count_);
  for (size_t i = 0; i < level_count_; ++i) median[i] = Median(of_level[i]);
  std::vector<double> usual(seconds.size());
  for (size_t n = 0; n < seconds.size(); ++n) usual[n] = median[level_of_[n]];
  return usual;
}

}  // namespace lockstep::training
