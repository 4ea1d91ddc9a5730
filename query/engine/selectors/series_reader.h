// Reads the series of a selector and their samples from the store.
#pragma once

#include "base/status.h"
#include "model/sample.h"
#include "query/engine/context/query_context.h"
#include "query/engine/selectors/series_part.h"
#include "query/promql/syntax/ast.h"
#include "storage/query.h"

namespace lockstep::engine {

// What to read for a selector. The caller applies the selector's modifiers.
struct SelectorRead {
  const promql::VectorSelector& selector;
  TimeRange range;
  SamplesNeeded needed = SamplesNeeded::kAll;
  bool keep_stale_markers = false;
  StepTimes steps{};  // as in Selection
};

// Opens the series in at most `max_parts` parts. Each holds the samples of one series at a time,
// charged to the query's budget. Parts must not outlive the context, which must not change while
// they are used.
absl::StatusOr<SeriesParts> OpenSelector(const SelectorRead& read, QueryContext& context,
                                         size_t max_parts);

// The cost of `columns` in a QueryBudget, in samples.
int64_t BudgetSize(const SampleColumns& columns);
// Removes stale markers, which mark the end of a series.
void RemoveStaleMarkers(SampleColumns& columns);

}  // namespace lockstep::engine
