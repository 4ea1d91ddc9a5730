// How much more of something a rank has than its peers, column by column.
#pragma once

#include <cstddef>
#include <vector>

#include "training/rank_matrix.h"

namespace lockstep::training {

// True where a rank is known to be out of the ordinary and must not be what others are compared with.
// One flag per row and column.
using RankMask = std::vector<std::vector<bool>>;

RankMask NothingMasked(size_t rows, size_t columns);

// Element (r, n) is values(r, n) less the upper median of r's unmasked peers in column n. Where fewer than
// two are unmasked, a masked row is held against all of its peers, and an unmasked one is unknown.
// The upper median: of two peers the greater one, so that in a group of three only what exceeds both
// others counts. A column counts only if at least two thirds of its group, and two, are known; others
// stay unknown.
// `groups` are the rows that are peers of each other.
RankMatrix ExcessOverPeers(const RankMatrix& values, const std::vector<std::vector<size_t>>& groups,
                           const RankMask& masked);

// As ExcessOverPeers made it, or this before, with other marks: only columns in which something was masked then or is
// now are computed again.
void UpdateExcess(const RankMatrix& values, const std::vector<std::vector<size_t>>& groups,
                  const RankMask& before, const RankMask& masked, RankMatrix& excess);

// `matrix` with column n divided by divisor[n]; unknown where that is not above zero.
RankMatrix DividedByColumn(RankMatrix matrix, const std::vector<double>& divisor);

}  // namespace lockstep::training
