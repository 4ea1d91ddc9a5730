// Many ranks as few rows, without losing the one that stands out: what a picture with fewer rows than ranks shows.
#pragma once

#include <cstddef>
#include <vector>

#include "training/rank_matrix.h"

namespace lockstep::training {

// Four numbers of each cell: matrices of one shape.
struct PictureCells {
  RankMatrix lowest;
  RankMatrix highest;
  RankMatrix last;
  RankMatrix mean;
};

// A row per group of neighbouring ranks. Lowest and highest are those of all of them; last and mean are those of the
// rank whose mean is furthest from the median of the whole picture: one late rank among a thousand stays visible.
struct RowGroups {
  std::vector<size_t> first_row;  // of each group; the group ends before the next one's
  PictureCells cells;
  RankMatrix furthest;  // which of its group that rank is, from 0; unknown where nothing is known
};

// At most `rows` groups, of equal size but for one rank. Precondition: rows >= 1.
RowGroups GroupRows(const PictureCells& cells, size_t rows);

}  // namespace lockstep::training
