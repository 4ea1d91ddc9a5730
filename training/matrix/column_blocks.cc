#include "training/matrix/column_blocks.h"

#include "training/matrix/statistics.h"

namespace lockstep::training {

std::vector<double> ColumnMedians(const RankMatrix& matrix, TaskPool* pool) {
  std::vector<double> medians(matrix.columns());
  InStretches(matrix.columns(), pool, [&](Stretch stretch) {
    ForEachColumn(matrix, stretch, [&medians](size_t n, std::span<const double> column) {
      medians[n] = Median(column);
    });
  });
  return medians;
}

}  // namespace lockstep::training
