// Names go when the query is done, not operator by operator.
#pragma once

#include "query/engine/evaluated.h"

namespace lockstep::engine {

// Makes one series of those with equal labels, in place of the first. Fails with SameLabelsetError()
// when two of them have a value at the same step.
absl::Status MergeEqualLabels(VectorValue& vector);

// Takes the metric name (with type and unit) off the series that are marked, then merges.
absl::Status RemoveNames(VectorValue& vector);

}  // namespace lockstep::engine
