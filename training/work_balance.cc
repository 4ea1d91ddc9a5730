#include "training/work_balance.h"

#include <algorithm>
#include <cmath>

#include "training/column_blocks.h"
#include "training/statistics.h"

namespace lockstep::training {
namespace {

struct GroupBalance {
  double spread = kUnknown;
  double persistence = kUnknown;
  double median_seconds = kUnknown;
};

// Values of a group in one column that are known and not of slow rows, and the row of the highest.
struct UnnamedValues {
  std::vector<double> values;
  double highest = -1;
  size_t slowest = 0;

  void Take(std::span<const double> column, const std::vector<size_t>& group, const RankMask& slow,
            const std::vector<bool>& any_slow, size_t n) {
    values.clear();
    highest = -1;
    slowest = group.front();
    for (const size_t row : group) {
      if (std::isnan(column[row]) || (any_slow[row] && slow[row][n])) continue;
      values.push_back(column[row]);
      if (!(column[row] > highest)) continue;
      highest = column[row];
      slowest = row;
    }
  }
};

GroupBalance BalanceOfGroup(const RankMatrix& own, const std::vector<size_t>& group,
                            const RankMask& slow) {
  std::vector<double> spreads;
  std::vector<double> medians;
  std::vector<size_t> times_slowest(own.rows(), 0);
  std::vector<bool> any_slow(own.rows());
  for (const size_t row : group) {
    any_slow[row] = std::find(slow[row].begin(), slow[row].end(), true) != slow[row].end();
  }
  UnnamedValues unnamed;
  ForEachColumn(own, [&](size_t n, std::span<const double> column) {
    unnamed.Take(column, group, slow, any_slow, n);
    if (unnamed.values.empty()) return;
    const double median = Median(unnamed.values);
    medians.push_back(median);
    if (unnamed.values.size() < 2) return;
    spreads.push_back(unnamed.highest / median);
    ++times_slowest[unnamed.slowest];
  });
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
