#include "training/episodes/excess.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "base/check.h"
#include "training/matrix/column_blocks.h"
#include "training/matrix/statistics.h"

namespace lockstep::training {
namespace {

// The values of one column, and the upper median of all but one of them.
class PeerValues {
 public:
  // Takes the known values of `rows`.
  void Take(std::span<const double> column, std::span<const size_t> rows) {
    values_.resize(rows.size());
    size_t count = 0;
    for (const size_t row : rows) {
      values_[count] = column[row];
      count += std::isnan(column[row]) ? 0 : 1;
    }
    values_.resize(count);
    FindMiddle();
  }

  size_t count() const { return values_.size(); }
  double UpperMedian() const { return middle_; }
  // The upper median of all values except one that equals `own`.
  double UpperMedianWithout(double own) const { return without_[own < cut_ ? 1 : 0]; }

 private:
  // With one of k values removed, the upper median is element (k-1)/2 of the rest. For odd k, this
  // is the middle value, or the next one if the removed value lies at or below the middle. For even
  // k, it is the middle value, or the one before if the removed value lies at or above it.
  void FindMiddle() {
    middle_ = cut_ = kUnknown;
    without_.fill(kUnknown);
    if (values_.empty()) return;
    const Middle middle = MiddleInPlace(values_);
    middle_ = cut_ = middle.at;
    without_.fill(middle_);
    if (values_.size() % 2 == 0) {
      without_[0] = middle.before;
      return;
    }
    cut_ = std::nextafter(middle_, std::numeric_limits<double>::infinity());
    without_[1] = middle.after;
  }

  std::vector<double> values_;
  double middle_ = kUnknown;
  double cut_ = kUnknown;
  std::array<double, 2> without_ = {};  // without a value at or above the cut, or below it
};

// The reference for the rows of one group in one column.
class PeerReference {
 public:
  // `may_be_masked` are the rows that are masked in some column; `values` is column n.
  void Take(std::span<const double> values, std::span<const size_t> rows,
            std::span<const size_t> may_be_masked, const RankMask& masked, size_t n) {
    all_.Take(values, rows);
    const auto is_masked = [&](size_t row) { return masked(row, n) && !std::isnan(values[row]); };
    is_masked_ = std::any_of(may_be_masked.begin(), may_be_masked.end(), is_masked);
    if (!is_masked_) return;
    unmasked_rows_.clear();
    for (const size_t row : rows) {
      if (!masked(row, n)) unmasked_rows_.push_back(row);
    }
    unmasked_.Take(values, unmasked_rows_);
  }

  bool Suffices(size_t group_size) const {
    return all_.count() >= 2 && 3 * all_.count() >= 2 * group_size;
  }

  bool is_masked() const { return is_masked_; }
  const PeerValues& all() const { return all_; }

  double For(double own, bool is_masked) const {
    if (!is_masked_) return all_.UpperMedianWithout(own);
    if (is_masked && unmasked_.count() >= kFewestPeers) return unmasked_.UpperMedian();
    if (!is_masked && unmasked_.count() > kFewestPeers) return unmasked_.UpperMedianWithout(own);
    // One healthy peer is too few to blame another rank.
    if (!is_masked && unmasked_.count() < all_.count()) return kUnknown;
    return all_.UpperMedianWithout(own);
  }

 private:
  static constexpr size_t kFewestPeers = 2;

  PeerValues all_;
  PeerValues unmasked_;  // used only if something is masked
  std::vector<size_t> unmasked_rows_;
  bool is_masked_ = false;
};

std::vector<size_t> RowsWithMarks(const std::vector<size_t>& rows, const RankMask& masked) {
  std::vector<size_t> marked;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(marked),
               [&masked](size_t row) { return masked.MayHaveAny(row); });
  return marked;
}

// Compares the ranks of each group, column by column. Not thread-safe.
class ColumnJudge {
 public:
  ColumnJudge(const PeerComparison& comparison, const RankMask& masked)
      : comparison_(comparison), masked_(masked) {
    for (const std::vector<size_t>& group : comparison.groups) {
      may_be_masked_.push_back(RowsWithMarks(group, masked));
    }
  }

  // Sets the known elements of `results`, which has one per row.
  void Compare(size_t n, std::span<const double> column, std::span<double> results) {
    const double divisor = comparison_.divisor.empty() ? 1.0 : comparison_.divisor[n];
    if (!(divisor > 0)) return;
    for (size_t i = 0; i < comparison_.groups.size(); ++i) {
      const std::vector<size_t>& group = comparison_.groups[i];
      peers_.Take(column, group, may_be_masked_[i], masked_, n);
      if (!peers_.Suffices(group.size())) continue;
      for (const size_t row : group) {
        const double own = column[row];
        const double peers = peers_.is_masked() ? peers_.For(own, masked_(row, n))
                                                : peers_.all().UpperMedianWithout(own);
        results[row] = (own - peers) / divisor;
      }
    }
  }

 private:
  const PeerComparison& comparison_;
  const RankMask& masked_;
  std::vector<std::vector<size_t>> may_be_masked_;  // by group
  PeerReference peers_;
};

void CompareColumns(const PeerComparison& comparison, const RankMask& masked, Stretch stretch,
                    RankMatrix& excess) {
  ColumnJudge judge(comparison, masked);
  MapColumns(comparison.values, stretch, excess,
             [&judge](size_t n, std::span<const double> column, std::span<double> results) {
               judge.Compare(n, column, results);
             });
}

}  // namespace

RankMatrix ExcessOverPeers(const PeerComparison& comparison, const RankMask& masked) {
  const RankMatrix& values = comparison.values;
  LOCKSTEP_CHECK(comparison.divisor.empty() || comparison.divisor.size() == values.columns());
  RankMatrix excess = RankMatrix::Unset(values.rows(), values.columns());
  InStretches(values.columns(), comparison.pool,
              [&](Stretch stretch) { CompareColumns(comparison, masked, stretch, excess); });
  return excess;
}

void UpdateExcess(const PeerComparison& comparison, const RankMask& before, const RankMask& masked,
                  RankMatrix& excess) {
  std::vector<bool> changed = MarkedColumns(before);
  const std::vector<bool> now = MarkedColumns(masked);
  for (size_t n = 0; n < changed.size(); ++n) changed[n] = changed[n] || now[n];
  CompareChanged(comparison, masked, changed, excess);
}

void CompareChanged(const PeerComparison& comparison, const RankMask& masked,
                    const std::vector<bool>& changed, RankMatrix& excess) {
  InStretches(changed.size(), comparison.pool, [&](Stretch stretch) {
    const auto end = changed.begin() + static_cast<ptrdiff_t>(stretch.end);
    auto at = changed.begin() + static_cast<ptrdiff_t>(stretch.first);
    while ((at = std::find(at, end, true)) != end) {
      const auto after = std::find(at, end, false);
      CompareColumns(
          comparison, masked,
          {static_cast<size_t>(at - changed.begin()), static_cast<size_t>(after - changed.begin())},
          excess);
      at = after;
    }
  });
}

std::vector<double> ExcessOfRow(const RankMatrix& values, const std::vector<size_t>& group,
                                const RankMask& masked, size_t row) {
  std::vector<double> excess(values.columns(), kUnknown);
  const std::vector<size_t> may_be_masked = RowsWithMarks(group, masked);
  PeerReference peers;
  ForEachColumn(values, {0, values.columns()}, [&](size_t n, std::span<const double> column) {
    peers.Take(column, group, may_be_masked, masked, n);
    if (peers.Suffices(group.size())) {
      excess[n] = column[row] - peers.For(column[row], masked(row, n));
    }
  });
  return excess;
}

}  // namespace lockstep::training
