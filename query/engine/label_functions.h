// label_replace and label_join.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

absl::StatusOr<EvaluatedValue> LabelReplace(const promql::Call& call, Evaluator& evaluator);
absl::StatusOr<EvaluatedValue> LabelJoin(const promql::Call& call, Evaluator& evaluator);

// The text of a string argument.
const std::string& StringArgument(const promql::Call& call, size_t index);

}  // namespace lockstep::engine
