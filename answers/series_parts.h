// Series of a selection, visited by several threads.
#pragma once

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "answers/load_context.h"
#include "storage/storage.h"

namespace lockstep::answers {

// Calls `visit` for each series that matches, some at the same time from other threads; `samples` is the thread's own,
// to be cleared and reused. Stops at the first error, and when the budget says so.
using VisitSeries = absl::FunctionRef<absl::Status(SeriesSet& series, SampleColumns& samples)>;
absl::Status ForEachSeries(const Selection& selection, const LoadContext& context,
                           VisitSeries visit);

}  // namespace lockstep::answers
