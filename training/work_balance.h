// Whether work is spread unevenly, with no machine to blame.
#pragma once

#include <vector>

#include "training/excess.h"
#include "training/rank_matrix.h"

namespace lockstep::training {

struct WorkBalance {
  // Median over steps of the slowest rank over the median rank, in the group where it is highest.
  double spread = kUnknown;
  // Share of steps in which that group's most frequent slowest rank is the slowest.
  double persistence = kUnknown;
  // Slowest group's median over the fastest's; unknown for one group.
  double stage_ratio = kUnknown;
};

// Ranks are left out where `slow` says that they are named already.
WorkBalance BalanceOf(const RankMatrix& own, const std::vector<std::vector<size_t>>& groups,
                      const RankMask& slow, TaskPool* pool);

}  // namespace lockstep::training
