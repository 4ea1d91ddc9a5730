// Converts plain points to samples of series whose spelling is known. Pure functions.
#pragma once

#include <cstdint>

#include "ingest/otlp/protobuf/plain_points.h"
#include "ingest/otlp/translate/known_samples.h"
#include "ingest/otlp/translate/series_keys.h"

namespace lockstep::otlp {

struct PointTimes {
  int64_t time_ms = 0;
  int64_t start_ms = 0;
};

// Both add what the translator would make of the point; or add nothing and return false if one of
// its series is unknown. `spelling` is the point's.
[[nodiscard]] bool AddKnown(const Spelling& spelling, const PointTimes& times,
                            const PlainNumberPoint& point, KnownSamples& known);
[[nodiscard]] bool AddKnown(const Spelling& spelling, const PointTimes& times,
                            const PlainHistogramPoint& point, KnownSamples& known);

}  // namespace lockstep::otlp
