// Merges two series sets.
#pragma once

#include <memory>

#include "storage/query.h"

namespace lockstep::answers {

// Returns the series of both, sorted by labels. Precondition: no label set is in both.
std::unique_ptr<SeriesSet> NewMergedSeriesSet(std::unique_ptr<SeriesSet> first,
                                              std::unique_ptr<SeriesSet> second);

}  // namespace lockstep::answers
