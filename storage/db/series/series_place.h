// SeriesPlace: where the chunks of a series are.
//
// The series of one family (one metric name of one job) are numbered in the order of their first
// samples; 64 neighbours share a block, whose samples are stored together on disk.
#pragma once

#include <cstdint>

namespace lockstep {

inline constexpr uint32_t kSeriesPerBlock = 64;

struct SeriesPlace {
  uint32_t family = 0;
  uint32_t ordinal = 0;  // within the family

  uint32_t block() const { return ordinal / kSeriesPerBlock; }
  uint32_t index_in_block() const { return ordinal % kSeriesPerBlock; }
  friend bool operator==(const SeriesPlace&, const SeriesPlace&) = default;
};

}  // namespace lockstep
