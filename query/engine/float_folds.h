// Aggregations of floats: all groups at once, in pieces that several threads take.
#pragma once

#include <span>
#include <vector>

#include "base/status.h"
#include "query/engine/aggregate_groups.h"
#include "query/engine/column.h"
#include "query/engine/query_context.h"
#include "query/promql/ast.h"

namespace lockstep::engine {

// What is asked of every group.
struct FoldQuestion {
  promql::AggregateOp op = promql::AggregateOp::kSum;
  const std::vector<double>& params;  // quantile's q per step, else empty
};

// One column for each group, in their order, of as many steps as the series have; each adds up its members
// in their order, however many threads there are. Errors: the budget's, to which nothing is charged.
// Preconditions: no group is empty, no member has histograms; `op` folds: it neither chooses nor relabels.
absl::StatusOr<std::vector<Column>> FoldFloats(const FoldQuestion& question,
                                               const std::vector<EvaluatedSeries>& series,
                                               std::span<const AggregateGroup> groups,
                                               QueryContext& context);

}  // namespace lockstep::engine
