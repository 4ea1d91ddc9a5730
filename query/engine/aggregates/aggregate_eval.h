// Evaluates aggregations over instant vectors.
#pragma once

#include <span>
#include <vector>

#include "query/engine/aggregates/aggregate_groups.h"
#include "query/engine/context/evaluator.h"

namespace lockstep::engine {

// Any aggregation.
absl::StatusOr<EvaluatedValue> EvaluateAggregate(const promql::AggregateExpr& expr,
                                                 Evaluator& evaluator);

// The cases from which EvaluateAggregate() chooses, each in a .cc file of its own.

// count_values: the number of elements with each value. Precondition: `expr` is a count_values.
absl::StatusOr<EvaluatedValue> CountValues(const promql::AggregateExpr& expr, Evaluator& evaluator);

// selecting_aggregates: topk, bottomk, limitk and limit_ratio, which select elements without
// changing them. `params`: k or the ratio, per step. In an evaluation of one step, topk and bottomk
// return the elements of a group in order of value.
absl::StatusOr<EvaluatedValue> SelectElements(const promql::AggregateExpr& expr,
                                              const std::vector<double>& params,
                                              VectorValue operand,
                                              const std::vector<AggregateGroup>& groups,
                                              Evaluator& evaluator);

// The aggregation of floats to apply to every group.
struct FoldQuestion {
  promql::AggregateOp op = promql::AggregateOp::kSum;
  const std::vector<double>& params;  // quantile's q per step, otherwise empty
};

// float_folds: aggregates all groups at once, in pieces for several threads. Returns one column per
// group, in order, with as many steps as the series. Members are added in order, whatever the
// number of threads. Returns errors of the budget, but charges nothing to it. Preconditions: no
// group is empty, no member has histograms, and `op` folds, that is, it neither selects nor
// relabels.
absl::StatusOr<std::vector<Column>> FoldFloats(const FoldQuestion& question,
                                               const std::vector<EvaluatedSeries>& series,
                                               std::span<const AggregateGroup> groups,
                                               QueryContext& context);

}  // namespace lockstep::engine
