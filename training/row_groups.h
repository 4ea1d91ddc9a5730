// Reduces many ranks to few rows without losing the one that stands out, for a picture with fewer
// rows than ranks.
#pragma once

#include <cstddef>
#include <vector>

#include "training/matrix/rank_matrix.h"

namespace lockstep::training {

// Five values per cell, in matrices of the same shape.
struct PictureCells {
  RankMatrix lowest;
  RankMatrix highest;
  RankMatrix last;
  RankMatrix mean;
  RankMatrix count;  // of known values; 0 where all others are unknown
};

// One row per group of neighbouring ranks. Lowest, highest and count are over the whole group; last
// and mean are from the rank whose mean is furthest from the median of the whole picture, so that
// one late rank among a thousand stays visible.
struct RowGroups {
  std::vector<size_t> first_row;  // of each group, which ends before the next group's first row
  PictureCells cells;
  RankMatrix furthest;  // index of that rank in its group, from 0; unknown if all are unknown
};

// Makes at most `rows` groups, whose sizes differ by at most one rank. Precondition: rows >= 1.
RowGroups GroupRows(const PictureCells& cells, size_t rows);

}  // namespace lockstep::training
