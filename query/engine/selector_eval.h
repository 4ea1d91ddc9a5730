// Instant selectors: the newest sample of every matching series at every step.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

// Asks the store once, for the whole grid. Looks back as far as the query does.
absl::StatusOr<EvaluatedValue> EvaluateSelector(const promql::VectorSelector& selector,
                                                Evaluator& evaluator);
// The same, but looks back `lookback_ms`, which may be 0: then there is nothing.
absl::StatusOr<EvaluatedValue> EvaluateSelector(const promql::VectorSelector& selector,
                                                Evaluator& evaluator, int64_t lookback_ms);

enum class NewestHistogram { kIsASample, kIsAnError };

// The same, but every value is the time of the sample, in seconds: what timestamp() makes of a plain
// selector.
absl::StatusOr<VectorValue> EvaluateSampleTimes(const promql::VectorSelector& selector,
                                                Evaluator& evaluator, NewestHistogram histograms);

// The same with the time at which the sample's counter began, in seconds, 0 if unknown: start_timestamp()
// of a plain selector.
absl::StatusOr<VectorValue> EvaluateStartTimes(const promql::VectorSelector& selector,
                                               Evaluator& evaluator);

}  // namespace lockstep::engine
