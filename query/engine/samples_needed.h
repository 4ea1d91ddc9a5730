// What functions over ranges need of their samples: few, if every range is made of whole buckets of the
// store.
#pragma once

#include "query/engine/range_windows.h"
#include "query/promql/functions.h"
#include "storage/storage.h"

namespace lockstep::engine {

// That give the function all that it needs for the very answer that all samples give.
SamplesNeeded SamplesNeededBy(promql::FunctionId id, const RangeWindows& windows);

}  // namespace lockstep::engine
