// Histograms of OTLP as native histograms. Pure functions.
//
// OTLP counts buckets from the one above 1, (1, base], as number 0; native histograms have it as number 1. Scales
// above 8 become 8, neighbouring buckets added. Source: Prometheus, "Native Histograms" specification, "OTLP".
#pragma once

#include "base/status.h"
#include "ingest/otlp/metric_points.h"
#include "model/histogram.h"

namespace lockstep::otlp {

// Of a point without a zero threshold: as Prometheus has it.
inline constexpr double kDefaultZeroThreshold = 1e-128;

// kInvalidArgument, with one clause: a scale below -4, counts that do not add up, bounds out of order.
absl::StatusOr<Histogram> NativeHistogramOf(const ExponentialHistogramPoint& point);
// With custom buckets.
absl::StatusOr<Histogram> NativeHistogramOf(const HistogramPoint& point);

}  // namespace lockstep::otlp
