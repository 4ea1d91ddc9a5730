// Values at times as columns of equal length, with the lowest, highest, last and mean of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "training/job.h"
#include "training/rank_matrix.h"
#include "training/row_groups.h"

namespace lockstep::answers {

struct PictureBin {
  training::TimeRange time;
  std::optional<int64_t> first_step;  // where bins are of steps
  std::optional<int64_t> last_step;
};

// Not thread-safe.
class TimeBins {
 public:
  // Precondition: bins >= 1.
  TimeBins(const training::TimeRange& time, size_t rows, size_t bins);

  // Of each row in order of time. Values that are not known or outside of the time are left out.
  void Add(size_t row, int64_t time_ms, double value);

  const std::vector<PictureBin>& bins() const { return bins_; }
  training::PictureCells TakeCells() { return std::move(cells_); }

 private:
  const int64_t begin_ms_;
  const int64_t width_ms_;
  std::vector<PictureBin> bins_;
  training::RankMatrix counts_;
  training::PictureCells cells_;
};

}  // namespace lockstep::answers
