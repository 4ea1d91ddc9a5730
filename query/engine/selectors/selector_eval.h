// Instant selectors: the newest sample of every matching series at every step.
#pragma once

#include "query/engine/context/evaluator.h"

namespace lockstep::engine {

// Queries the store once, for the whole grid. Uses the query's lookback.
absl::StatusOr<EvaluatedValue> EvaluateSelector(const promql::VectorSelector& selector,
                                                Evaluator& evaluator);
// The same with another lookback. If it is 0, the result is empty.
absl::StatusOr<EvaluatedValue> EvaluateSelector(const promql::VectorSelector& selector,
                                                Evaluator& evaluator, int64_t lookback_ms);

enum class NewestHistogram { kIsASample, kIsAnError };

// The same, but each value is the time of the sample in seconds, for timestamp() of a plain
// selector.
absl::StatusOr<VectorValue> EvaluateSampleTimes(const promql::VectorSelector& selector,
                                                Evaluator& evaluator, NewestHistogram histograms);

// The same with the time in seconds at which the sample's counter began, 0 if unknown, for
// start_timestamp() of a plain selector.
absl::StatusOr<VectorValue> EvaluateStartTimes(const promql::VectorSelector& selector,
                                               Evaluator& evaluator);

}  // namespace lockstep::engine
