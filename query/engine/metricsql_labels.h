// The functions of MetricsQL that look at labels alone: alias, label_set, label_del, label_keep, label_match,
// label_mismatch.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

// Precondition: the call is of one of these.
absl::StatusOr<EvaluatedValue> EvaluateMetricsqlLabels(const promql::Call& call,
                                                       Evaluator& evaluator);

}  // namespace lockstep::engine
