// histogram_quantile, histogram_quantiles and histogram_fraction: over native histograms, and over
// classic ones put together from their buckets.
#pragma once

#include "query/engine/evaluator.h"

namespace lockstep::engine {

absl::StatusOr<EvaluatedValue> EvaluateHistogramBuckets(const promql::Call& call,
                                                        Evaluator& evaluator);

}  // namespace lockstep::engine
