// Converts classic histograms, with one series per bucket, to native ones with custom buckets.
#pragma once

#include <span>
#include <vector>

#include "storage/write.h"

namespace lockstep::promqltest {

// Returns one series for each classic histogram in `series`: X_bucket{le=..}, X_count and X_sum
// become X.
std::vector<SeriesWrite> ClassicToNative(std::span<const SeriesWrite> series);

}  // namespace lockstep::promqltest
