// topk, bottomk, limitk and limit_ratio: aggregations that choose elements and leave them as they are.
#pragma once

#include <vector>

#include "query/engine/aggregate_groups.h"
#include "query/engine/evaluator.h"

namespace lockstep::engine {

// `params`: k or the ratio, per step. In an evaluation of one step topk and bottomk give the elements of
// a group in order of value.
absl::StatusOr<EvaluatedValue> SelectElements(const promql::AggregateExpr& expr,
                                              const std::vector<double>& params,
                                              VectorValue operand,
                                              const std::vector<AggregateGroup>& groups,
                                              Evaluator& evaluator);

}  // namespace lockstep::engine
