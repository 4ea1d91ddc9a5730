// Two series sets as one.
#pragma once

#include <memory>

#include "storage/storage.h"

namespace lockstep::answers {

// The series of both, sorted by labels. Precondition: no label set is in both.
std::unique_ptr<SeriesSet> NewMergedSeriesSet(std::unique_ptr<SeriesSet> first,
                                              std::unique_ptr<SeriesSet> second);

}  // namespace lockstep::answers
