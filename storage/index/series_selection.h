// Finds the series of selected targets and selected metrics.
//
// There are three ways: a walk over all series, over those of each metric, or over those of each
// target. The estimated number of series to visit decides.
//
// Reads only: as for SeriesIndex, any number of threads while no thread writes.
#pragma once

#include <optional>

#include "base/budget/query_budget.h"
#include "base/status.h"
#include "storage/index/postings.h"
#include "storage/index/series_table.h"

namespace lockstep {

// The targets and metrics of a shard that matchers leave, ascending; nullopt: all of them.
struct SelectedParts {
  std::optional<Postings> targets;
  std::optional<Postings> metrics;
};

// Ascending. Fails only with the error of `budget`, which may be null.
absl::StatusOr<Postings> SelectSeries(const SeriesTable& series, const SelectedParts& parts,
                                      const QueryBudget* budget);

}  // namespace lockstep
