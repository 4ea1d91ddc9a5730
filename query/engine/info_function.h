// info(): adds the labels of info metrics to the series of a vector.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

absl::StatusOr<EvaluatedValue> Info(const promql::Call& call, Evaluator& evaluator);

}  // namespace lockstep::engine
