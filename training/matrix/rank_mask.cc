#include "training/matrix/rank_mask.h"

namespace lockstep::training {

std::vector<bool> MarkedColumns(const RankMask& mask) {
  std::vector<bool> any(mask.columns(), false);
  for (size_t row = 0; row < mask.rows(); ++row) {
    if (!mask.MayHaveAny(row)) continue;
    for (size_t n = 0; n < any.size(); ++n) any[n] = any[n] || mask(row, n);
  }
  return any;
}

}  // namespace lockstep::training
