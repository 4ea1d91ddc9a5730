#include "training/excess.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/check.h"
#include "training/column_blocks.h"

namespace lockstep::training {
namespace {

// Numbers of one column, and the upper median of any all but one of them.
class PeerValues {
 public:
  void Clear() { values_.clear(); }
  void Add(double value) { values_.push_back(value); }
  size_t count() const { return values_.size(); }

  void FindMiddle() {
    middle_ = before_ = after_ = kUnknown;
    if (values_.empty()) return;
    const size_t middle = values_.size() / 2;
    const auto at = values_.begin() + static_cast<ptrdiff_t>(middle);
    std::nth_element(values_.begin(), at, values_.end());
    middle_ = *at;
    if (middle > 0) before_ = *std::max_element(values_.begin(), at);
    if (middle + 1 < values_.size()) after_ = *std::min_element(at + 1, values_.end());
  }

  double UpperMedian() const { return middle_; }

  // Of all values but one that equals `own`. With k values and one taken out, index (k-1)/2 of what is
  // left: for an odd k the middle one, or the next where the taken one lies at or below the middle; for
  // an even k the middle one, or the one before where the taken one lies at or above it.
  double UpperMedianWithout(double own) const {
    if (values_.size() % 2 == 1) return own <= middle_ ? after_ : middle_;
    return own < middle_ ? middle_ : before_;
  }

 private:
  std::vector<double> values_;
  double middle_ = kUnknown;
  double before_ = kUnknown;
  double after_ = kUnknown;
};

// What the rows of one group are held against in one column.
class PeerReference {
 public:
  // `values` are those of column n; `any_masked` tells rows that are masked in some column.
  void Take(std::span<const double> values, std::span<const size_t> rows, const RankMask& masked,
            const std::vector<bool>& any_masked, size_t n) {
    all_.Clear();
    unmasked_.Clear();
    for (const size_t row : rows) {
      if (std::isnan(values[row])) continue;
      all_.Add(values[row]);
      if (!any_masked[row] || !masked[row][n]) unmasked_.Add(values[row]);
    }
    all_.FindMiddle();
    is_masked_ = unmasked_.count() < all_.count();
    if (is_masked_) unmasked_.FindMiddle();
  }

  bool Suffices(size_t group_size) const {
    return all_.count() >= 2 && 3 * all_.count() >= 2 * group_size;
  }

  double For(double own, bool is_masked) const {
    if (!is_masked_) return all_.UpperMedianWithout(own);
    if (is_masked && unmasked_.count() >= kFewestPeers) return unmasked_.UpperMedian();
    if (!is_masked && unmasked_.count() > kFewestPeers) return unmasked_.UpperMedianWithout(own);
    // One healthy peer is too little to blame another rank by.
    if (!is_masked && unmasked_.count() < all_.count()) return kUnknown;
    return all_.UpperMedianWithout(own);
  }

 private:
  static constexpr size_t kFewestPeers = 2;

  PeerValues all_;
  PeerValues unmasked_;  // without a middle if all are unmasked
  bool is_masked_ = false;
};

// Compares the ranks of each group, column by column.
class ColumnJudge {
 public:
  ColumnJudge(const std::vector<std::vector<size_t>>& groups, const RankMask& masked)
      : groups_(groups), masked_(masked), any_masked_(masked.size()) {
    for (size_t row = 0; row < masked.size(); ++row) {
      const std::vector<bool>& marks = masked[row];
      any_masked_[row] = std::find(marks.begin(), marks.end(), true) != marks.end();
    }
  }

  // Sets what is known of `results`, one per row.
  void Compare(size_t n, std::span<const double> column, std::span<double> results) {
    for (const std::vector<size_t>& group : groups_) {
      peers_.Take(column, group, masked_, any_masked_, n);
      if (!peers_.Suffices(group.size())) continue;
      for (const size_t row : group) {
        if (std::isnan(column[row])) continue;
        const bool is_masked = any_masked_[row] && masked_[row][n];
        results[row] = column[row] - peers_.For(column[row], is_masked);
      }
    }
  }

 private:
  const std::vector<std::vector<size_t>>& groups_;
  const RankMask& masked_;
  std::vector<bool> any_masked_;  // by row
  PeerReference peers_;
};

// By column.
std::vector<bool> AnyMasked(const RankMask& masked, size_t columns) {
  std::vector<bool> any(columns, false);
  for (const std::vector<bool>& marks : masked) {
    for (size_t n = 0; n < columns; ++n) any[n] = any[n] || marks[n];
  }
  return any;
}

}  // namespace

RankMask NothingMasked(size_t rows, size_t columns) {
  return RankMask(rows, std::vector<bool>(columns, false));
}

RankMatrix ExcessOverPeers(const RankMatrix& values, const std::vector<std::vector<size_t>>& groups,
                           const RankMask& masked) {
  RankMatrix excess(values.rows(), values.columns());
  ColumnJudge judge(groups, masked);
  MapColumns(values, excess,
             [&judge](size_t n, std::span<const double> column, std::span<double> results) {
               judge.Compare(n, column, results);
             });
  return excess;
}

void UpdateExcess(const RankMatrix& values, const std::vector<std::vector<size_t>>& groups,
                  const RankMask& before, const RankMask& masked, RankMatrix& excess) {
  std::vector<bool> changed = AnyMasked(before, values.columns());
  const std::vector<bool> now = AnyMasked(masked, values.columns());
  for (size_t n = 0; n < changed.size(); ++n) changed[n] = changed[n] || now[n];
  ColumnJudge judge(groups, masked);
  std::vector<double> results(values.rows());
  ForEachColumn(values, [&](size_t n, std::span<const double> column) {
    if (!changed[n]) return;
    std::fill(results.begin(), results.end(), kUnknown);
    judge.Compare(n, column, results);
    for (size_t row = 0; row < results.size(); ++row) excess(row, n) = results[row];
  });
}

RankMatrix DividedByColumn(RankMatrix matrix, const std::vector<double>& divisor) {
  LOCKSTEP_CHECK(matrix.columns() == divisor.size());
  for (size_t row = 0; row < matrix.rows(); ++row) {
    const std::span<double> values = matrix.Row(row);
    for (size_t n = 0; n < values.size(); ++n) {
      values[n] = divisor[n] > 0 ? values[n] / divisor[n] : kUnknown;
    }
  }
  return matrix;
}

}  // namespace lockstep::training
