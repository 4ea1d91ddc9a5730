// The series of a selector, with their samples out of the store.
#pragma once

#include "base/status.h"
#include "model/sample.h"
#include "query/engine/query_context.h"
#include "query/engine/series_part.h"
#include "query/promql/ast.h"
#include "storage/storage.h"

namespace lockstep::engine {

// What is read of a selector's series. Its modifiers are the caller's.
struct SelectorRead {
  const promql::VectorSelector& selector;
  TimeRange range;
  SamplesNeeded needed = SamplesNeeded::kAll;
  bool keep_stale_markers = false;
};

// In at most `max_parts` parts. Each holds the samples of one series at a time, charged to the query's
// budget; none may outlive the context, which must not change while they are used.
absl::StatusOr<SeriesParts> OpenSelector(const SelectorRead& read, QueryContext& context,
                                         size_t max_parts);

// How many samples `columns` cost in a QueryBudget.
int64_t BudgetSize(const SampleColumns& columns);
// Removes the samples that say that the series ended.
void RemoveStaleMarkers(SampleColumns& columns);

}  // namespace lockstep::engine
