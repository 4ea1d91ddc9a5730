// Plain points as samples of series that are known by their spelling. Pure functions.
#pragma once

#include <cstdint>

#include "ingest/otlp/known_samples.h"
#include "ingest/otlp/plain_points.h"
#include "ingest/otlp/series_keys.h"

namespace lockstep::otlp {

struct PointTimes {
  int64_t time_ms = 0;
  int64_t start_ms = 0;
};

// Both add what the translator would make of the point; or nothing, and say false, if one of its series is not
// known. `spelling` is the point's.
[[nodiscard]] bool AddKnown(const Spelling& spelling, const PointTimes& times,
                            const PlainNumberPoint& point, KnownSamples& known);
[[nodiscard]] bool AddKnown(const Spelling& spelling, const PointTimes& times,
                            const PlainHistogramPoint& point, KnownSamples& known);

}  // namespace lockstep::otlp
