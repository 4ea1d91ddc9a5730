// How much more of something a rank has than its peers, column by column.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/task_pool.h"
#include "training/rank_mask.h"
#include "training/rank_matrix.h"

namespace lockstep::training {

// What an excess is of, and over whom. What it refers to must outlive it.
struct PeerComparison {
  const RankMatrix& values;
  const std::vector<std::vector<size_t>>& groups;  // rows that are peers of each other
  // By column: what the excess is a share of; unknown where it is not above zero. Empty: the excess as it is.
  std::span<const double> divisor = {};
  TaskPool* pool = nullptr;  // helps, if there is one
};

// Element (r, n) is values(r, n) less the upper median of r's unmasked peers in column n. Where fewer than
// two are unmasked, a masked row is held against all of its peers, and an unmasked one is unknown.
// The upper median: of two peers the greater one, so that in a group of three only what exceeds both
// others counts. A column counts only if at least two thirds of its group, and two, are known; others
// stay unknown.
// Masked is a rank where it is known to be out of the ordinary and must not be what others are compared with.
RankMatrix ExcessOverPeers(const PeerComparison& comparison, const RankMask& masked);

// As ExcessOverPeers made it, or this before, with other marks: only columns in which something was masked then or is
// now are computed again.
void UpdateExcess(const PeerComparison& comparison, const RankMask& before, const RankMask& masked,
                  RankMatrix& excess);

// Computes the columns for which `changed` says so again.
void CompareChanged(const PeerComparison& comparison, const RankMask& masked,
                    const std::vector<bool>& changed, RankMatrix& excess);

// That of one row alone, which is of `group`.
std::vector<double> ExcessOfRow(const RankMatrix& values, const std::vector<size_t>& group,
                                const RankMask& masked, size_t row);

}  // namespace lockstep::training
