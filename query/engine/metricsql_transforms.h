// The functions of MetricsQL that look at the steps of each series, or at which series there are: keep_last_value,
// running_sum, running_avg, running_min, running_max, limit_offset, union. And default_rollup.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

// Precondition: the call is of one of these, but default_rollup.
absl::StatusOr<EvaluatedValue> EvaluateMetricsqlTransform(const promql::Call& call,
                                                          Evaluator& evaluator);

// default_rollup of a range selector: what the instant selector gives that looks as far back as the range.
// Precondition: its argument is one.
absl::StatusOr<EvaluatedValue> DefaultRollup(const promql::Call& call, Evaluator& evaluator);

}  // namespace lockstep::engine
