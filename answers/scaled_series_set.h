// Stored series under other labels and in another unit, read as they are asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "storage/storage.h"

namespace lockstep::answers {

// What a stored series becomes.
struct ScaledSeries {
  LabelSet labels;
  double factor = 1;  // for its floats; histograms, and what is no number, are left out
};

// `series[i]` is of the stored one at position i. Parts read while others do, and nothing but the current series is held;
// a set that is not split holds all samples from the first Read() on.
//
// A value ends with a stale marker where none follows in a minute and ten times as long as it took since the one before,
// if that is not after `max_ms`: whoever stopped to report is not shown by looking back. A sample alone has no such end,
// and samples beside which others were left out have none. Preconditions: as many of each; no labels twice.
std::unique_ptr<SeriesSet> NewScaledSeriesSet(std::unique_ptr<SeriesSet> stored,
                                              std::vector<ScaledSeries> series, int64_t max_ms);

// The markers alone. Precondition: times ascend.
void MarkEnds(int64_t max_ms, SampleColumns& samples);

}  // namespace lockstep::answers
