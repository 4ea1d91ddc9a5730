// limit_ratio selects series by a hash of their labels, so that every step and every server keeps
// the same series, and limit_ratio(r) and limit_ratio(r-1) complement each other.
#pragma once

#include "model/labels.h"

namespace lockstep::engine {

// Keeps about `ratio` of all series: those with hash/2^64 < ratio or, for a negative ratio, those
// with hash/2^64 >= 1 + ratio. Precondition: -1 <= ratio <= 1.
bool KeepsByRatio(double ratio, const LabelSet& labels);

}  // namespace lockstep::engine
