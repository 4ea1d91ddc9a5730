// Many columns as few, without losing the extremes: what a picture of ranks over time or steps shows.
#pragma once

#include <cstddef>
#include <vector>

#include "training/rank_matrix.h"
#include "training/row_groups.h"
#include "training/steps.h"

namespace lockstep::training {

// A row per rank and a column per bin. A bin is unknown only if all of its values are.
struct HeatMap {
  std::vector<size_t> first_column;  // of each bin; the bin ends before the next one's
  PictureCells cells;
};

// At most `bins` bins, of equal width but for one column. Precondition: bins >= 1.
HeatMap ReduceToBins(const RankMatrix& values, size_t bins);

// How evenly steps follow each other.
struct Pacing {
  std::vector<double>
      behind_seconds;  // when a step ended, less when it would have at the median pace
  std::vector<double> step_seconds;
  double median_seconds = kUnknown;
  double spread_seconds = kUnknown;  // between the 5th and the 95th percentile
};

Pacing PacingOf(const StepTable& table);

}  // namespace lockstep::training
