// Validates native histograms from outside, the same for every input format. Pure functions.
// Source: Prometheus, model/histogram (Validate).
#pragma once

#include "base/status.h"
#include "model/histogram.h"

namespace lockstep {

// Checks schema, spans, bounds and zero bucket. The caller checks that counts are not negative and
// add up, because it knows whether they were integers. kInvalidArgument, with one clause.
absl::Status CheckHistogramLayout(const Histogram& h);

}  // namespace lockstep
