// Aligns counters of many devices to one time grid.
#pragma once

#include <cstdint>
#include <span>

#include "training/devices/devices.h"
#include "training/matrix/rank_matrix.h"

namespace lockstep::training {

// Bin k is (begin_ms + k * width_ms, begin_ms + (k + 1) * width_ms].
struct BinGrid {
  int64_t begin_ms = 0;
  int64_t width_ms = 1;
  size_t count = 0;

  TimeRange Bins(size_t first, size_t last) const {
    return {begin_ms + static_cast<int64_t>(first) * width_ms,
            begin_ms + static_cast<int64_t>(last + 1) * width_ms};
  }
};

// One row per device: means of the samples in each bin.
RankMatrix BinnedMeans(std::span<const GpuCounters> devices, Role role, const BinGrid& grid);

}  // namespace lockstep::training
