// Classic histograms, made of series per bucket, as native ones with custom buckets.
#pragma once

#include <span>
#include <vector>

#include "storage/storage.h"

namespace lockstep::promqltest {

// One series for each classic histogram among `series`: X_bucket{le=..}, X_count, X_sum become X.
std::vector<SeriesWrite> ClassicToNative(std::span<const SeriesWrite> series);

}  // namespace lockstep::promqltest
