// SampleSlice: samples of one series of a write request, in somebody else's memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "model/sample.h"

namespace lockstep {

// Slices larger than these are cut, so that a block of the journal never outgrows a value of the store, nor
// a group a batch.
inline constexpr size_t kMaxSliceFloats = 4096;
inline constexpr size_t kMaxSliceHistograms = 6;

struct SampleSlice {
  std::span<const Sample> floats;
  std::span<const int64_t> starts_ms;  // of each of `floats`, or none
  std::span<const HistogramSample> histograms;

  bool empty() const { return floats.empty() && histograms.empty(); }

  // Takes off the front what is within the limits. Histograms come behind all floats: one wins over a float
  // of its time, as it is written later.
  SampleSlice TakeFirst() {
    const size_t float_count = std::min(floats.size(), kMaxSliceFloats);
    const size_t start_count = starts_ms.empty() ? 0 : float_count;
    const size_t histogram_count =
        float_count < floats.size() ? 0 : std::min(histograms.size(), kMaxSliceHistograms);
    const SampleSlice first{floats.first(float_count), starts_ms.first(start_count),
                            histograms.first(histogram_count)};
    *this = {floats.subspan(float_count), starts_ms.subspan(start_count),
             histograms.subspan(histogram_count)};
    return first;
  }
};

}  // namespace lockstep
