// What makes a native histogram that came from outside a valid one: the same for every way in. Pure functions.
// Source: Prometheus, model/histogram (Validate).
#pragma once

#include "base/status.h"
#include "model/histogram.h"

namespace lockstep {

// Schema, spans, bounds and zero bucket; that counts are not negative and add up is for the caller to see to, who
// knows whether they were integers. kInvalidArgument, with one clause.
absl::Status CheckHistogramLayout(const Histogram& h);

}  // namespace lockstep
