#include "training/stragglers/work_balance.h"

#include <algorithm>
#include <cmath>

#include "training/matrix/column_blocks.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

struct GroupBalance {
  double spread = kUnknown;
  double persistence = kUnknown;
  double median_seconds = kUnknown;
};

// The known values of a group in one column, without slow rows, and the row of the highest.
struct UnnamedValues {
  std::vector<double> values;
  double highest = -1;
  size_t slowest = 0;

  void Take(std::span<const double> column, const std::vector<size_t>& group, const RankMask& slow,
            size_t n) {
    values.clear();
    highest = -1;
    slowest = group.front();
    for (const size_t row : group) {
      if (std::isnan(column[row]) || slow(row, n)) continue;
      values.push_back(column[row]);
      if (!(column[row] > highest)) continue;
      highest = column[row];
      slowest = row;
    }
  }
};

// Per column; unknown if fewer than one (two) rows of the group are known.
struct ColumnBalance {
  explicit ColumnBalance(size_t columns)
      : median(columns, kUnknown), spread(columns, kUnknown), slowest(columns, 0) {}

  std::vector<double> median;
  std::vector<double> spread;
  std::vector<size_t> slowest;
};

ColumnBalance BalanceByColumn(const RankMatrix& own, const std::vector<size_t>& group,
                              const RankMask& slow, TaskPool* pool) {
  ColumnBalance balance(own.columns());
  InStretches(own.columns(), pool, [&](Stretch stretch) {
    UnnamedValues unnamed;
    ForEachColumn(own, stretch, [&](size_t n, std::span<const double> column) {
      unnamed.Take(column, group, slow, n);
      if (unnamed.values.empty()) return;
      const bool has_peers = unnamed.values.size() > 1;
      balance.median[n] = MedianInPlace(unnamed.values);
      balance.slowest[n] = unnamed.slowest;
      if (has_peers) balance.spread[n] = unnamed.highest / balance.median[n];
    });
  });
  return balance;
}

// Share of columns in which the most frequent slowest row is slowest.
double Persistence(const ColumnBalance& columns, size_t rows) {
  std::vector<size_t> times_slowest(rows, 0);
  size_t known = 0;
  for (size_t n = 0; n < columns.spread.size(); ++n) {
    if (std::isnan(columns.spread[n])) continue;
    ++known;
    ++times_slowest[columns.slowest[n]];
  }
  if (known == 0) return kUnknown;
  return static_cast<double>(*std::max_element(times_slowest.begin(), times_slowest.end())) /
         static_cast<double>(known);
}

GroupBalance BalanceOfGroup(const RankMatrix& own, const std::vector<size_t>& group,
                            const RankMask& slow, TaskPool* pool) {
  const ColumnBalance columns = BalanceByColumn(own, group, slow, pool);
  return {.spread = Median(columns.spread),
          .persistence = Persistence(columns, own.rows()),
          .median_seconds = Median(columns.median)};
}

}  // namespace

WorkBalance BalanceOf(const RankMatrix& own, const std::vector<std::vector<size_t>>& groups,
                      const RankMask& slow, TaskPool* pool) {
  WorkBalance balance;
  double least = kUnknown;
  double most = kUnknown;
  for (const std::vector<size_t>& group : groups) {
    const GroupBalance one = BalanceOfGroup(own, group, slow, pool);
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
