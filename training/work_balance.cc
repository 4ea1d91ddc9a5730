#include "training/work_balance.h"

#include <algorithm>
#include <cmath>

#include "training/statistics.h"

namespace lockstep::training {
namespace {

struct GroupBalance {
  double spread = kUnknown;
  double persistence = kUnknown;
  double median_seconds = kUnknown;
};

// The values of the group's rows that are known and not slow in column n.
std::vector<double> Unnamed(const RankMatrix& own, const std::vector<size_t>& group,
                            const RankMask& slow, size_t n) {
  std::vector<double> values;
  for (const size_t row : group) {
    if (!slow[row][n] && !std::isnan(own(row, n))) values.push_back(own(row, n));
  }
  return values;
}

size_t SlowestRow(const RankMatrix& own, const std::vector<size_t>& group, const RankMask& slow,
                  size_t n) {
  size_t slowest = group.front();
  double highest = -1;
  for (const size_t row : group) {
    if (slow[row][n] || !(own(row, n) > highest)) continue;
    highest = own(row, n);
    slowest = row;
  }
  return slowest;
}

GroupBalance BalanceOfGroup(const RankMatrix& own, const std::vector<size_t>& group,
                            const RankMask& slow) {
  std::vector<double> spreads;
  std::vector<double> medians;
  std::vector<size_t> times_slowest(own.rows(), 0);
  for (size_t n = 0; n < own.columns(); ++n) {
    const std::vector<double> values = Unnamed(own, group, slow, n);
    if (values.empty()) continue;
    const double median = Median(values);
    medians.push_back(median);
    if (values.size() < 2) continue;
    spreads.push_back(*std::max_element(values.begin(), values.end()) / median);
    ++times_slowest[SlowestRow(own, group, slow, n)];
  }
  GroupBalance balance{.spread = Median(spreads), .median_seconds = Median(medians)};
  if (!spreads.empty()) {
    balance.persistence =
        static_cast<double>(*std::max_element(times_slowest.begin(), times_slowest.end())) /
        static_cast<double>(spreads.size());
  }
  return balance;
}

}  // namespace

WorkBalance BalanceOf(const RankMatrix& own, const std::vector<std::vector<size_t>>& groups,
                      const RankMask& slow) {
  WorkBalance balance;
  double least = kUnknown;
  double most = kUnknown;
  for (const std::vector<size_t>& group : groups) {
    const GroupBalance one = BalanceOfGroup(own, group, slow);
    if (!(one.spread <= balance.spread)) {
      if (!std::isnan(one.spread)) {
        balance.spread = one.spread;
        balance.persistence = one.persistence;
      }
    }
    if (!(one.median_seconds >= least) && !std::isnan(one.median_seconds)) {
      least = one.median_seconds;
    }
    if (!(one.median_seconds <= most) && !std::isnan(one.median_seconds)) {
      most = one.median_seconds;
    }
  }
  if (groups.size() > 1) balance.stage_ratio = most / least;
  return balance;
}

}  // namespace lockstep::training
