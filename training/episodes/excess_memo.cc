#include "training/episodes/excess_memo.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lockstep::training {
namespace {

// Compares bits, so unknown values are equal.
bool AreSame(std::span<const double> a, std::span<const double> b) {
  return std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

void NoteChanges(std::span<const double> before, std::span<const double> now,
                 std::vector<bool>& changed) {
  for (size_t n = 0; n < now.size(); ++n) {
    if (!AreSame(before.subspan(n, 1), now.subspan(n, 1))) changed[n] = true;
  }
}

}  // namespace

void ExcessMemo::DropColumns(size_t count) {
  step_.erase(step_.begin(), step_.begin() + static_cast<ptrdiff_t>(count));
  if (!divisor_.empty()) {
    divisor_.erase(divisor_.begin(), divisor_.begin() + static_cast<ptrdiff_t>(count));
  }
  values_.DropFirstColumns(count);
  excess_->DropFirstColumns(count);
  dropped_ = count;
}

// Drops columns of other steps. Returns how many are left, which are the first of the new table.
size_t ExcessMemo::KeepColumns(const PeerComparison& comparison, std::span<const int64_t> step) {
  const RankMatrix& values = comparison.values;
  const bool is_alike = excess_ != nullptr && values.rows() == values_.rows() &&
                        comparison.groups == groups_ &&
                        comparison.divisor.empty() == divisor_.empty();
  const auto first = std::lower_bound(step_.begin(), step_.end(), step.empty() ? 0 : step.front());
  const auto kept = static_cast<size_t>(step_.end() - first);
  if (is_alike && kept > 0 && kept <= step.size() && std::equal(first, step_.end(), step.begin())) {
    if (excess_.use_count() > 1) excess_ = std::make_shared<RankMatrix>(*excess_);
    DropColumns(static_cast<size_t>(first - step_.begin()));
    return kept;
  }
  *this = {};
  groups_ = comparison.groups;
  values_ = RankMatrix(values.rows(), 0);
  excess_ = std::make_shared<RankMatrix>(values.rows(), 0);
  return 0;
}

// Copies changed columns and returns which ones changed. New columns count as changed.
std::vector<bool> ExcessMemo::TakeChanges(const PeerComparison& comparison, const RankMask& masked,
                                          size_t kept) {
  const RankMatrix& values = comparison.values;
  std::vector<bool> changed(values.columns(), true);
  std::fill_n(changed.begin(), kept, false);
  if (!divisor_.empty()) NoteChanges(divisor_, comparison.divisor.first(kept), changed);
  for (size_t row = 0; row < values.rows(); ++row) {
    const std::span<double> before = values_.Row(row);
    const std::span<const double> now = values.Row(row).first(kept);
    if (!AreSame(before, now)) {
      NoteChanges(before, now, changed);
      std::copy(now.begin(), now.end(), before.begin());
    }
    if (kept == 0 || (!masked.MayHaveAny(row) && !masked_.MayHaveAny(row))) continue;
    for (size_t n = 0; n < kept; ++n) {
      if (masked_(row, dropped_ + n) != masked(row, n)) changed[n] = true;
    }
  }
  values_.AppendColumns(values, kept);
  return changed;
}

std::shared_ptr<const RankMatrix> ExcessMemo::Excess(const PeerComparison& comparison,
                                                     std::span<const int64_t> step,
                                                     const RankMask& masked) {
  const size_t kept = KeepColumns(comparison, step);
  const std::vector<bool> changed = TakeChanges(comparison, masked, kept);
  // Compared columns are overwritten entirely, so their content does not matter until then.
  excess_->AppendColumns(comparison.values, kept);
  CompareChanged(comparison, masked, changed, *excess_);
  step_.assign(step.begin(), step.end());
  divisor_.assign(comparison.divisor.begin(), comparison.divisor.end());
  masked_ = masked;
  return excess_;
}

}  // namespace lockstep::training
