// Which series are of selected targets and selected metrics.
//
// Three ways lead there: a walk over all series, over those of each metric, over those of each target.
// Which one is taken follows from how many series each would look at.
//
// Const reads only: as SeriesIndex, any number of threads while nobody writes.
#pragma once

#include <optional>

#include "base/query_budget.h"
#include "base/status.h"
#include "storage/index/postings.h"
#include "storage/index/series_table.h"

namespace lockstep {

// What matchers leave of a shard's targets and metrics: ascending, nullopt: all of them.
struct SelectedParts {
  std::optional<Postings> targets;
  std::optional<Postings> metrics;
};

// Ascending. Fails only with the error of `budget`, which may be null.
absl::StatusOr<Postings> SelectSeries(const SeriesTable& series, const SelectedParts& parts,
                                      const QueryBudget* budget);

}  // namespace lockstep
