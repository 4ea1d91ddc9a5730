// Whether work is distributed unevenly, with no machine to blame.
#pragma once

#include <vector>

#include "training/episodes/excess.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::training {

struct WorkBalance {
  // Median over steps of the slowest rank over the median rank, in the group where it is highest.
  double spread = kUnknown;
  // Share of steps in which that group's most frequent slowest rank is slowest.
  double persistence = kUnknown;
  // The slowest group's median over the fastest group's; unknown for a single group.
  double stage_ratio = kUnknown;
};

// Skips ranks where `slow` marks them as already named.
WorkBalance BalanceOf(const RankMatrix& own, const std::vector<std::vector<size_t>>& groups,
                      const RankMask& slow, TaskPool* pool);

}  // namespace lockstep::training
