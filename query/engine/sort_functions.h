// sort, sort_desc, sort_by_label, sort_by_label_desc.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

// Orders the series of an evaluation of one step. Over several steps there is no order to make: then
// with a warning.
absl::StatusOr<EvaluatedValue> Sort(const promql::Call& call, Evaluator& evaluator);

}  // namespace lockstep::engine
