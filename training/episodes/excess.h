// By how much a rank exceeds its peers, column by column.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/threads/task_pool.h"
#include "training/matrix/rank_mask.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::training {

// The values to compare and the groups of peers. Referenced data must outlive it.
struct PeerComparison {
  const RankMatrix& values;
  const std::vector<std::vector<size_t>>& groups;  // rows that are peers of each other
  // By column: divides the excess, which is unknown unless the divisor is positive. Empty: no
  // division.
  std::span<const double> divisor = {};
  TaskPool* pool = nullptr;  // may be null
};

// Element (r, n) is values(r, n) minus the upper median of r's unmasked peers in column n. If fewer
// than two peers are unmasked, a masked row is compared with all its peers, and an unmasked row is
// unknown. The upper median of two peers is the greater one, so in a group of three a row must
// exceed both others. A column is unknown unless at least two thirds of its group, and at least two
// rows, are known. A rank is masked where it is known to be abnormal and must not serve as a
// reference for others.
RankMatrix ExcessOverPeers(const PeerComparison& comparison, const RankMask& masked);

// Updates `excess`, a result of ExcessOverPeers() or UpdateExcess() for mask `before`, to mask
// `masked`. Recomputes only columns in which either mask marks a row.
void UpdateExcess(const PeerComparison& comparison, const RankMask& before, const RankMask& masked,
                  RankMatrix& excess);

// Recomputes the columns marked in `changed`.
void CompareChanged(const PeerComparison& comparison, const RankMask& masked,
                    const std::vector<bool>& changed, RankMatrix& excess);

// The excess of one row of `group`.
std::vector<double> ExcessOfRow(const RankMatrix& values, const std::vector<size_t>& group,
                                const RankMask& masked, size_t row);

}  // namespace lockstep::training
