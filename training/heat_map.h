// Reduces many columns to few without losing the extremes, for a picture of ranks over time or
// steps.
#pragma once

#include <cstddef>
#include <vector>

#include "training/job/steps.h"
#include "training/matrix/rank_matrix.h"
#include "training/row_groups.h"

namespace lockstep::training {

// One row per rank and one column per bin. A bin is unknown only if all its values are.
struct HeatMap {
  std::vector<size_t> first_column;  // of each bin, which ends before the next bin's first column
  PictureCells cells;
};

// Makes at most `bins` bins, whose widths differ by at most one column. Precondition: bins >= 1.
HeatMap ReduceToBins(const RankMatrix& values, size_t bins);

// How evenly steps follow one another.
struct Pacing {
  std::vector<double>
      behind_seconds;  // when a step ended, minus when it would have at the median pace
  std::vector<double> step_seconds;
  double median_seconds = kUnknown;
  double spread_seconds = kUnknown;  // between the 5th and the 95th percentile
};

Pacing PacingOf(const StepTable& table);

}  // namespace lockstep::training
