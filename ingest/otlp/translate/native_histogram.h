// Converts OTLP histograms to native histograms. Pure functions.
//
// OTLP numbers the bucket (1, base] as 0, native histograms as 1. Scales above 8 are reduced to 8
// by merging buckets. Source: Prometheus, "Native Histograms" specification, "OTLP".
#pragma once

#include "base/status.h"
#include "ingest/otlp/points/metric_points.h"
#include "model/histogram.h"

namespace lockstep::otlp {

// For points without a zero threshold, as in Prometheus.
inline constexpr double kDefaultZeroThreshold = 1e-128;

// kInvalidArgument, with one clause, for a scale below -4, inconsistent counts, or unsorted bounds.
absl::StatusOr<Histogram> NativeHistogramOf(const ExponentialHistogramPoint& point);
// Uses custom buckets.
absl::StatusOr<Histogram> NativeHistogramOf(const HistogramPoint& point);

}  // namespace lockstep::otlp
