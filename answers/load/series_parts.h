// Visits the series of a selection from several threads.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "answers/load/load_context.h"
#include "storage/query.h"

namespace lockstep::answers {

// Calls `visit` for each matching series, concurrently from several threads. `samples` belongs to
// the thread and should be cleared and reused. Stops at the first error and when the budget is
// exhausted.
using VisitSeries = absl::FunctionRef<absl::Status(SeriesSet& series, SampleColumns& samples)>;
absl::Status ForEachSeries(const Selection& selection, const LoadContext& context,
                           VisitSeries visit);

}  // namespace lockstep::answers
