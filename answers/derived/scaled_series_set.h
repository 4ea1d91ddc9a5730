// Stored series with other labels and in another unit, read on demand.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "storage/query.h"

namespace lockstep::answers {

// How to convert a stored series.
struct ScaledSeries {
  LabelSet labels;
  double factor = 1;  // for its floats; histograms and NaN are dropped
};

// `series[i]` describes the stored series at position i. Parts can be read concurrently and hold
// only the current series; a set that is not split holds all samples from the first Read() on.
//
// Adds a stale marker one minute plus ten sample intervals after a value if no other value follows
// by then and the marker is not after `max_ms`, so that a query's lookback does not show a rank
// that stopped reporting. Adds none to a series with a single sample or with dropped samples.
// Preconditions: `series` has one element per stored series; labels are unique.
std::unique_ptr<SeriesSet> NewScaledSeriesSet(std::unique_ptr<SeriesSet> stored,
                                              std::vector<ScaledSeries> series, int64_t max_ms);

// Only adds the markers. Precondition: times are ascending.
void MarkEnds(int64_t max_ms, SampleColumns& samples);

}  // namespace lockstep::answers
