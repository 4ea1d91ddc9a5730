// Reduces timestamped values to bins of equal width, with the lowest, highest, last, mean and
// count of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "training/job/job.h"
#include "training/matrix/rank_matrix.h"
#include "training/row_groups.h"

namespace lockstep::answers {

struct PictureBin {
  TimeRange time;
  std::optional<int64_t> first_step;  // if bins consist of steps
  std::optional<int64_t> last_step;
};

// Not thread-safe.
class TimeBins {
 public:
  // Precondition: bins >= 1.
  TimeBins(const TimeRange& time, size_t rows, size_t bins);

  // Call in time order for each row. Ignores unknown values and values outside the time range.
  void Add(size_t row, int64_t time_ms, double value);

  const std::vector<PictureBin>& bins() const { return bins_; }
  training::PictureCells TakeCells() { return std::move(cells_); }

 private:
  const int64_t begin_ms_;
  const int64_t width_ms_;
  std::vector<PictureBin> bins_;
  training::PictureCells cells_;
};

}  // namespace lockstep::answers
