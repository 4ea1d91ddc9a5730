// A series set over series in memory.
#pragma once

#include <memory>
#include <vector>

#include "answers/derived/derived_metrics.h"
#include "storage/query.h"

namespace lockstep::answers {

using MadeSeries = std::vector<DerivedSeries>;

// Precondition: `series` is sorted by labels and has no duplicates.
std::unique_ptr<SeriesSet> NewMadeSeriesSet(std::shared_ptr<const MadeSeries> series);

}  // namespace lockstep::answers
